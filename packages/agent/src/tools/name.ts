import { failure } from "../errors.ts";

/** Throws `tool/invalid` for a name that not every provider takes. */
export function checkToolName(name: unknown): void {
  if (typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw failure("tool/invalid", `\`${name}\` is no tool name: 1 to 64 of A–Z a–z 0–9 _ -`);
}
