import { equalJson, isJsonObject, type Json, type Path } from "translogue";
import type { Allowance, KeepOptions } from "../../keeps.ts";
import type { langchainRules } from "../rules/langchain.ts";
import { places } from "./maf-allowances.ts";

/** Where LangChain's adapters and ours differ on purpose. Each answers for one kind of difference, by what stands there. */

/** What is compared. */
export interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
}

interface Place {
  readonly path: Path;
  /** The last member of the path, and the path with `*` for its numbers. */
  readonly key: string | number | undefined;
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  readonly all: Compared;
}
export type Checks = { readonly [rule in keyof typeof langchainRules]?: (place: Place) => boolean };

export const optionsOf = (checks: Checks, all: Compared): KeepOptions => ({
  places,
  allowances: Object.entries(checks).map(
    ([rule, check]): Allowance =>
      (path, theirs, ours) => {
        const at = path.map(step => (typeof step === "number" ? "*" : step)).join(".");
        return check({ path, key: path.at(-1), at, theirs, ours, all }) ? rule : undefined;
      },
  ),
});

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isEmpty));

export const member = (value: unknown, key: string): unknown => (isJsonObject(value) ? value[key] : undefined);

export function parsedText(value: unknown): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

/** Whether a text, or a piece of JSON, stands anywhere in a value. */
export function holdsText(value: unknown, text: unknown): boolean {
  const whole = JSON.stringify(value) ?? "";
  return typeof text === "string" && (whole.includes(text) || whole.includes(JSON.stringify(text).slice(1, -1)));
}

// requests

export const requestOptions = (all: Compared): KeepOptions => optionsOf(requestChecks, all);

const requestChecks: Checks = {
  "spelled-out defaults": ({ key, theirs, ours }) =>
    ours === undefined &&
    ((key === "detail" && theirs === "auto") ||
      (key === "tool_choice" && theirs === "auto") ||
      (key === "status" && theirs === "completed")),
  "options of the class": ({ at, ours }) => ours === undefined && classOptions.includes(at),
  "name of the limit": ({ at, theirs, all }) =>
    at === "max_tokens" && member(all.ours, "max_completion_tokens") === theirs,
  "texts left out": ({ key, theirs, ours }) =>
    key === "text" && typeof ours === "string" && typeof theirs === "string" && ours.startsWith(theirs),
  "nothing said": ({ theirs, ours }) =>
    ours === undefined &&
    (isEmpty(theirs) || (member(theirs, "role") !== undefined && isEmpty(member(theirs, "content")))),
  "blocks sent as they are": ({ at, theirs, ours }) =>
    (at === "messages.*.content.*" && !isChatPart(theirs)) ||
    (at === "messages.*.content.*.image_url.url" && String(theirs).startsWith("data:") && typeof ours === "string") ||
    (at === "input.*.content.*" && ["image_url", "input_audio"].includes(String(member(theirs, "type")))) ||
    (/^(messages|input)\.\*\.content\.\*\.(cache_control|annotations|id)(\.|$)/.test(at) && ours === undefined),
  "Chat's tools in Responses": ({ at, theirs, all }) =>
    at === "tools.*" && member(theirs, "custom") !== undefined && member(all.ours, "input") !== undefined,
  "texts of a tool": ({ key, theirs, ours }) => key === "output" && isTextsOf(theirs, ours),
  "JSON within a text": ({ theirs, ours }) => {
    const [their, our] = [parsedText(theirs), parsedText(ours)];
    return their !== undefined && our !== undefined && equalJson(their, our);
  },
  "files from a tool": ({ at, theirs, ours, path, all }) =>
    at === "messages.*.content.*" &&
    ours === undefined &&
    member(theirs, "type") === "image_url" &&
    member(itemAt(member(all.theirs, "messages"), path[1]), "role") === "tool",
  "items of older answers": ({ theirs, ours }) =>
    ours === undefined && member(theirs, "type") === "reasoning" && member(theirs, "id") !== undefined,
  "seals of other makers": ({ theirs, ours }) =>
    ours === undefined && ["reasoning", "redacted_thinking"].includes(String(member(theirs, "type"))),
  "calls that a provider ran": ({ theirs, ours }) =>
    ours === undefined && ["function_call", "function_call_output"].includes(String(member(theirs, "type"))),
};

/** Options that LangChain's classes have, and a conversation has not. */
const classOptions = [
  "n",
  "user",
  "store",
  "stop",
  "logprobs",
  "top_logprobs",
  "logit_bias",
  "frequency_penalty",
  "presence_penalty",
  "service_tier",
  "prompt_cache_key",
  "truncation",
  "previous_response_id",
  "text.verbosity",
];

const chatPartTypes = ["text", "image_url", "input_audio", "file", "refusal"];
const isChatPart = (part: unknown): boolean => chatPartTypes.includes(String(member(part, "type")));

export const itemAt = (list: unknown, index: unknown): unknown =>
  Array.isArray(list) && typeof index === "number" ? list[index] : undefined;

/** Texts as the JSON of their list, which the API takes as a list. */
function isTextsOf(theirs: unknown, ours: unknown): boolean {
  const text = Array.isArray(theirs) ? member(theirs[0], "text") : theirs;
  const list = parsedText(text);
  if (!Array.isArray(list) || !Array.isArray(ours)) return false;
  const join = (items: readonly unknown[]): string => items.map(item => String(member(item, "text"))).join("");
  return join(list) === join(ours);
}
