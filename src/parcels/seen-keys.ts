/**
 * Remembers on which line each key of a file was seen, in 12 bytes for a slot instead of the some
 * hundred that a Map takes for a text: files have as many keys as a county has parcels. Keys are
 * known by 64-bit hashes, so that two different ones are taken for the same with a probability of
 * 3 in 100 million for a file of a million rows.
 */
export class SeenKeys {
  #count = 0;
  #low = new Uint32Array(1024);
  #high = new Uint32Array(1024);
  #lines = new Uint32Array(1024);

  /** The line on which the key was seen before; else remembers this one (from 1). */
  add(key: string, line: number): number | undefined {
    if (this.#count * 2 >= this.#lines.length) this.#grow();
    const [low, high] = hash(key);
    const slot = this.#find(low, high);
    const before = this.#lines[slot];
    if (before) return before;
    this.#put(slot, low, high, line);
    this.#count += 1;
    return undefined;
  }

  /** The slot of a key, or the free one where it belongs. */
  #find(low: number, high: number): number {
    const mask = this.#lines.length - 1;
    let slot = low & mask;
    while (this.#lines[slot] && (this.#low[slot] !== low || this.#high[slot] !== high)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #put(slot: number, low: number, high: number, line: number): void {
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#lines[slot] = line;
  }

  #grow(): void {
    const [lows, highs, lines] = [this.#low, this.#high, this.#lines];
    this.#low = new Uint32Array(lows.length * 2);
    this.#high = new Uint32Array(lows.length * 2);
    this.#lines = new Uint32Array(lows.length * 2);
    for (const [i, line] of lines.entries()) {
      if (line)
        this.#put(this.#find(lows[i] ?? 0, highs[i] ?? 0), lows[i] ?? 0, highs[i] ?? 0, line);
    }
  }
}

/** Two independent halves of a well-mixed 64-bit hash (cyrb53's mixing). */
function hash(text: string): [low: number, high: number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a >>> 0, b >>> 0];
}
