import { exitCodeOfSignal, interrupted } from "./failure.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs something that Ctrl-C or a kill may end: the signal is aborted with `command/interrupted`, and what runs ends at
 * its next whole line. A second signal ends the process at once.
 */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(exitCodeOfSignal(signal));
    controller.abort(interrupted(signal));
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
