/** How many ranges are kept; lines beyond them are only counted. */
const MOST_RANGES = 10_000;

/** Numbers of lines, added in rising order, told as `3, 7-12, 40`. */
export class LineRanges {
  readonly #ranges: [from: number, to: number][] = [];
  #unnamed = 0;

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  add(line: number): void {
    const last = this.#ranges.at(-1);
    if (this.#unnamed === 0 && last && line === last[1] + 1) last[1] = line;
    else if (this.#ranges.length < MOST_RANGES) this.#ranges.push([line, line]);
    else this.#unnamed += 1;
  }

  toString(): string {
    const text = this.#ranges
      .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
      .join(', ');
    return this.#unnamed === 0 ? text : `${text}, and ${this.#unnamed} more after these`;
  }
}
