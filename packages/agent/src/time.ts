/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as that is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Calls back after `ms` milliseconds, unless what it gives is called before. */
export type SetTimer = (callback: () => void, ms: number) => () => void;

export const setTimer: SetTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms);
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
