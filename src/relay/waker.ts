/** Lets a loop sleep until it is woken or a time is up; a wake while it is busy is not lost. */
export interface Waker {
  wake: () => void;
  wait: (milliseconds: number) => Promise<void>;
}

export function createWaker(): Waker {
  let woken = false;
  let resume: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      resume?.();
    },
    async wait(milliseconds) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      woken = false;
      resume = undefined;
    },
  };
}
