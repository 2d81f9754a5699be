import { problemOf } from "./problem.ts";
import type { Call, Reply } from "./protocol.ts";
import { Work } from "./work.ts";

const work = new Work();
const reply = (message: Reply): void => postMessage(message);

/** Asked one thing after another; an answer is a copy. */
function answer({ id, name, ask }: Call): unknown {
  switch (name) {
    case "open":
      return work.open(ask, phase => reply({ id, phase }));
    case "issues":
      return work.issues(ask);
    case "repair":
      return work.repair(ask);
    case "write":
      return work.write(ask);
    case "node":
      return work.node(ask);
    case "after":
      return work.after(ask);
    default:
      return work[name]();
  }
}

function packed(value: unknown): { readonly answer: string; readonly text?: string } {
  if (typeof value !== "object" || value === null || !("text" in value) || typeof value.text !== "string") {
    return { answer: JSON.stringify(value) };
  }
  const { text, ...others } = value;
  return { answer: JSON.stringify(others), text };
}

addEventListener("message", ({ data }: MessageEvent<Call>) => {
  try {
    reply({ id: data.id, ...packed(answer(data)) });
  } catch (error) {
    reply({ id: data.id, problem: problemOf(error) });
  }
});
