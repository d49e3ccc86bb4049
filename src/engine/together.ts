/**
 * Runs tasks side by side. When one fails, the others' signal is aborted and they are waited for,
 * and then the first failure is thrown.
 */
export async function together(
  signal: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const giveUp = new AbortController();
  const shared = AbortSignal.any([signal, giveUp.signal]);
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await task(shared);
      } catch (error) {
        giveUp.abort(error); // the first reason stays
      }
    }),
  );
  giveUp.signal.throwIfAborted();
}
