/**
 * Asks once for all who ask at the same time, and again only when the last answer is older than
 * `keepMs`. A failure is an answer too: what is away is not asked by every caller anew.
 */
export function share<T>(ask: () => Promise<T>, keepMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let freshUntil = Infinity;
  return () => {
    if (answer && performance.now() < freshUntil) return answer;
    freshUntil = Infinity;
    answer = ask();
    const keep = (): void => void (freshUntil = performance.now() + keepMs);
    answer.then(keep, keep);
    return answer;
  };
}
