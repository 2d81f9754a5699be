import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Io } from "../io.ts";
import { rememberFailure, type Sink, streamSink, writeText } from "./sink.ts";

/** As git sets it: ends by itself where all fits the screen, keeps colours, and leaves what was shown. What we write is UTF-8. */
const lessSettings = { LESS: "FRX", LESSCHARSET: "utf-8" } as const;

/** Standard output by `PAGER` or less, from the first line on; as it is where it is no terminal, or there is no pager. */
export function pagedSink(io: Io): Sink {
  let opened: Promise<Sink> | undefined;
  return {
    write: async text => {
      opened ??= pagerOf(io).then(pager => pager ?? streamSink(io.stdout));
      await (await opened).write(text);
    },
    finish: async () => await (await opened)?.finish(),
    discard: async () => await (await opened)?.discard(),
  };
}

async function pagerOf({ env, stdout }: Io): Promise<Sink | undefined> {
  const command = env["PAGER"] ?? "less";
  if (stdout.isTTY !== true || env["TERM"] === "dumb" || command === "" || command === "cat") return undefined;
  const child = spawn(command, {
    shell: env["PAGER"] !== undefined,
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...lessSettings, ...env },
  });
  const started = await once(child, "spawn").then(
    () => true,
    () => false,
  );
  return started ? sinkOf(child) : undefined;
}

function sinkOf(child: ChildProcess): Sink | undefined {
  const { stdin } = child;
  if (!stdin) return undefined;
  rememberFailure(stdin);
  const ended = new Promise<void>(resolve => child.once("close", () => resolve()));
  const end = async (): Promise<void> => {
    stdin.end();
    await ended;
  };
  return {
    write: async text => {
      if (text.length > 0) await writeText(stdin, text);
    },
    finish: end,
    discard: end,
  };
}
