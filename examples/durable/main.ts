import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "durable-"));
const [path, log] = [join(folder, "runs.db"), join(folder, "tool.log")];
const worker = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Starts the run in a process of its own; gives what that said until its end. `kill`: it is killed once it has said something. */
async function inProcess(kill = false) {
  const child = spawn(process.execPath, [...process.execArgv, worker, path, log], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (kill && said.trim() !== "") child.kill("SIGKILL");
  });
  const [, signal] = await once(child, "close");
  return { said, signal };
}

/** In the middle of the answer, when the tool has been run. */
const killed = await inProcess(true);
/** Another process goes on from there. */
const next = await inProcess();
/** One more asks for the same run, and finds it done. */
const again = await inProcess();
/** Each run of the tool, over all processes. */
const ran = readFileSync(log, "utf8").trim().split("\n");

process.stdout.write(`${killed.said}\n--- killed ---\n${next.said}`);

export { again, killed, next, ran };
