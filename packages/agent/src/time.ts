/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as that is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Calls back after `ms` milliseconds, unless what it gives is called before. */
export type SetTimer = (callback: () => void, ms: number) => () => void;

/** Timers take no more milliseconds than these, and end what is longer at once. */
const longest = 2 ** 31 - 1;

export const setTimer: SetTimer = (callback, ms) => {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    timer = setTimeout(() => (left > longest ? wait(left - longest) : callback()), Math.min(left, longest));
  };
  wait(ms);
  return () => clearTimeout(timer);
};

export const sleepBy =
  (set: SetTimer): Sleep =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = set(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
    });

export const sleep: Sleep = sleepBy(setTimer);
