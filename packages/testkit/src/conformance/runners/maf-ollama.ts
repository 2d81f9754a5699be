import { equalJson, isJsonObject, type Json, type Path } from "translogue";
import type { Allowance, KeepOptions } from "../../keeps.ts";
import type { OllamaRule } from "../rules/ollama.ts";
import type { Compared } from "./maf-allowances.ts";

/** Where Microsoft's adapter for Ollama and ours differ on purpose, beside what holds for all providers. */

interface Place {
  readonly path: Path;
  readonly key: string | number | undefined;
  readonly theirs: unknown;
  readonly ours: unknown;
  readonly all: Compared;
}
type Checks = { readonly [rule in OllamaRule]?: (place: Place) => boolean };

const withChecks = (options: KeepOptions, checks: Checks, all: Compared): KeepOptions => ({
  ...options,
  allowances: [
    ...(options.allowances ?? []),
    ...Object.entries(checks).map(
      ([rule, check]): Allowance =>
        (path, theirs, ours) =>
          check({ path, key: path.at(-1), theirs, ours, all }) ? rule : undefined,
    ),
  ],
});

export const ollamaAnswers = (options: KeepOptions, all: Compared): KeepOptions =>
  withChecks(options, answerChecks, all);
export const ollamaRequests = (options: KeepOptions, all: Compared): KeepOptions =>
  withChecks(options, requestChecks, all);

const member = (value: unknown, key: string): unknown => (isJsonObject(value) ? value[key] : undefined);
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isObjectOf = (value: unknown, is: (each: unknown) => boolean): boolean =>
  isJsonObject(value) && Object.values(value).every(is);

const answerChecks: Checks = {
  "ollama answer ids": ({ path, theirs, ours }) =>
    path.at(-1) === "responseId" && ours === undefined && typeof theirs === "string",
  "ollama counts": ({ key, theirs, ours }) =>
    key === "usage" && ours === undefined && isObjectOf(theirs, count => count === 0),
  "ollama durations": ({ key, theirs, ours }) =>
    key === "additionalProperties" &&
    ours === undefined &&
    Object.keys(theirs ?? {}).every(name => /duration$/.test(name)),
  "ollama rounded dates": ({ key, theirs, ours }) =>
    key === "createdAt" && String(theirs).slice(0, 26) === String(ours).slice(0, 26),
  "ollama models": ({ key, theirs, ours }) => key === "modelId" && ours === undefined && theirs === "model-default",
  "ollama nameless calls": ({ theirs, ours }) =>
    ours === undefined && member(theirs, "$type") === "functionCall" && member(theirs, "name") === "n/a",
  "ollama roles": ({ path, theirs, ours, all }) =>
    path[0] === "messages" && path.length === 2 && ours === undefined && isAssistants(theirs, all),
};

/** A message of another role than the assistant's, whose contents are the assistant's in ours. */
function isAssistants(theirs: unknown, { ours }: Compared): boolean {
  const own = items(member(ours, "messages")).flatMap(message => items(member(message, "contents")));
  const has = (content: unknown): boolean =>
    own.some(each =>
      ["$type", "text", "name", "arguments"].every(key => equalJson(member(each, key), member(content, key))),
    ) || own.some(each => String(member(each, "text")).includes(String(member(content, "text"))));
  return items(member(theirs, "contents")).every(has);
}

function parsed(text: unknown): Json | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

/** The text of a content, in the one spelling that both were brought to. */
const textIn = (content: unknown): unknown =>
  items(content).length <= 1 ? (member(items(content)[0], "text") ?? "") : undefined;

/** A message of theirs with a result in it stands for the tool's message with that call's id in ours. */
function isResult(theirs: unknown, { ours }: Compared): boolean {
  const wrapped = parsed(textIn(member(theirs, "content")));
  if (!isJsonObject(wrapped) || !Object.hasOwn(wrapped, "CallId")) return false;
  const { CallId: id, Result: result } = wrapped;
  return items(member(ours, "messages")).some(message => {
    if (member(message, "role") !== "tool") return false;
    const own = member(message, "tool_call_id");
    return own === id || id === "" || resultText(result) === textIn(member(message, "content"));
  });
}

const resultText = (result: Json | undefined): string => (typeof result === "string" ? result : JSON.stringify(result));

const requestChecks: Checks = {
  "ollama call ids": ({ key, theirs }) => (key === "id" || key === "index") && theirs === null,
  "ollama results": ({ path, theirs, ours, all }) =>
    path[0] === "messages" &&
    ((path.length === 2 && ours === undefined && isResult(theirs, all)) ||
      (path.length === 3 && path[2] === "content" && isResult({ content: theirs }, all))),
  "ollama settings": ({ path, key, all }) => {
    const own = member(all.options, "additionalProperties");
    const names = Object.keys(isJsonObject(own) ? own : {});
    const isNamed = names.includes(String(key)) || (key === "num_predict" && names.includes("max_output_tokens"));
    return (path.length <= 2 && isNamed) || (key === "options" && names.length > 0);
  },
  "ollama seeds": ({ key, theirs, ours }) => key === "seed" && typeof ours === "number" && (ours | 0) === theirs,
  "ollama developers": ({ theirs, ours, all }) =>
    ours === undefined && member(theirs, "role") === "developer" && holds(all.ours, theirs),
  "ollama letter case": ({ theirs, ours, all }) =>
    ours === undefined && /[A-Z]/.test(String(member(theirs, "role"))) && holds(all.ours, theirs),
  "ollama sides": ({ path, key, theirs, ours, all }) =>
    ours === undefined &&
    (path.length === 2
      ? member(theirs, "role") === "tool"
      : (key === "tool_calls" || key === "thinking") &&
        theirs !== null &&
        member(items(member(all.theirs, "messages"))[Number(path[1])], "role") === "user"),
  "ollama roles": ({ path, theirs, ours, all }) =>
    path.length === 2 && ours === undefined && member(theirs, "tool_name") === undefined && holds(all.ours, theirs),
  "ollama nameless calls": ({ theirs, ours }) =>
    ours === undefined && (member(member(theirs, "function"), "name") ?? theirs) === "n/a",
  "ollama data uris": ({ key, theirs, ours }) => key === "images" && Array.isArray(theirs) && ours === undefined,
};

/** Whether the words of a message of theirs stand in one of ours. */
function holds(ours: unknown, theirs: unknown): boolean {
  const text = textIn(member(theirs, "content"));
  return items(member(ours, "messages")).some(message => {
    const own = items(member(message, "content")).map(part => String(member(part, "text")));
    return typeof text === "string" && own.join("").includes(text);
  });
}
