import { isJsonObject } from "translogue";
import type { CreateSessionOptions, RunOptions } from "./agent.ts";
import { failure } from "./errors.ts";
import { kindOf } from "./hooks.ts";
import { AgentSession } from "./session.ts";

/** The value as a session. Throws `session/invalid`: whatever looks like one has none of what a run needs. */
export function checkedSession(value: unknown): AgentSession {
  if (AgentSession.is(value)) return value;
  throw failure(
    "session/invalid",
    `\`session\` is ${kindOf(value)}: give what \`createSession\` or \`deserializeSession\` gave`,
  );
}

type Check = readonly [is: (value: unknown) => boolean, expected: string];

const text: Check = [value => typeof value === "string", "a text"];
const object: Check = [isJsonObject, "an object"];
const signal: Check = [isSignal, "an AbortSignal"];
const list: Check = [Array.isArray, "a list"];

const runOptions: { readonly [name in Exclude<keyof RunOptions, "session">]-?: Check } = {
  signal,
  stopSignal: signal,
  model: [isModel, "a model: an object with `stream`"],
  instructions: text,
  tools: [areTools, "a list of tools, as `defineTool` makes them"],
  toolChoice: [value => typeof value === "string" || isJsonObject(value), "a word or an object"],
  settings: object,
  responseFormat: [
    value => value !== null && ["string", "object", "function"].includes(typeof value),
    "`text`, `json` or a schema",
  ],
  history: [value => typeof value === "object" && value !== null, "a history provider"],
  conversationId: text,
  continuationToken: [value => typeof value === "string" || isJsonObject(value), "a token, or its text"],
  allowBackgroundResponses: [value => typeof value === "boolean", "true or false"],
  view: [value => typeof value === "function", "a function"],
  additionalProperties: object,
  operations: [isOperations, "what an engine gave to the body of a run"],
};

const sessionOptions: { readonly [name in keyof CreateSessionOptions]-?: Check } = {
  id: text,
  messages: list,
  conversationId: text,
  signal,
};

/** Throws `options/invalid`, or `session/invalid`, for what would fail in the middle of a run. */
export function checkRunOptions(options: unknown): void {
  check(options, runOptions, ["session"]);
  const { session } = options as RunOptions; // checked to be an object
  if (session !== undefined) checkedSession(session);
}

export const checkSessionOptions = (options: unknown): void => check(options, sessionOptions);

/** `others`: names that are checked elsewhere. A name that there is none of is refused: nothing would come of it. */
function check(options: unknown, checks: { readonly [name: string]: Check }, others: readonly string[] = []): void {
  if (!isJsonObject(options)) throw failure("options/invalid", `the options are ${kindOf(options)}: give an object`);
  const names = [...others, ...Object.keys(checks)];
  const unknown = Object.keys(options).find(name => !names.includes(name));
  if (unknown !== undefined) {
    const message = `there is no option \`${unknown}\`: there are \`${names.join("`, `")}\``;
    throw failure("options/invalid", message, { data: { option: unknown } });
  }
  for (const [name, [is, expected]] of Object.entries(checks)) {
    const value: unknown = options[name];
    if (value === undefined || is(value)) continue;
    const message = `\`${name}\` is ${kindOf(value)}: give ${expected}`;
    throw failure("options/invalid", message, { data: { option: name } });
  }
}

/** Throws `agent/invalid` for a setting that nothing comes of: whoever misspells a limit has none. */
export function checkNames<Settings extends object>(
  what: string,
  given: Settings,
  known: { readonly [name in keyof Settings]-?: true },
): void {
  const unknown = Object.keys(given).find(name => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known).join("`, `");
  throw failure("agent/invalid", `${what} have no \`${unknown}\`: there are \`${names}\``, {
    data: { option: unknown },
  });
}

export function isModel(value: unknown): boolean {
  return typeof value === "object" && value !== null && "stream" in value && typeof value.stream === "function";
}

export function areTools(value: unknown): boolean {
  return Array.isArray(value) && value.every(isTool);
}

function isOperations(value: unknown): boolean {
  return typeof value === "object" && value !== null && "operation" in value && typeof value.operation === "function";
}

/** By its members: a signal may be of another realm. */
function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

function isTool(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, validate } = value as { readonly name?: unknown; readonly validate?: unknown }; // any object may be asked
  return typeof name === "string" && typeof validate === "function";
}
