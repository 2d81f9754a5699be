/** The members of the SDK's messages as its validators know them (`validateUIMessages` of ai 5.0.277, 6.0.326, 7.0.173). */

import type { Generation } from "../../blocks/ai-sdk/family.ts";
import { isJsonObject } from "../../model/json.ts";
import {
  anything,
  boolean,
  byWord,
  count,
  json,
  list,
  type Members,
  never,
  object,
  oneOf,
  optional,
  type Place,
  type Rule,
  record,
  shown,
  string,
  wrong,
} from "./check-rules.ts";

const metadata = optional(record(record(optional(json))));
const streaming = optional(oneOf("streaming", "done"));
const file = { mediaType: string, url: string, providerMetadata: metadata };
const isOf = (generation: Generation, since: Generation, members: Members): Members =>
  generation >= since ? members : {};

const citation = object({
  source: byWord("sourceType", {
    url: object({
      type: oneOf("source"),
      sourceType: anything,
      id: string,
      url: string,
      title: optional(string),
      providerMetadata: metadata,
    }),
    document: object({
      type: oneOf("source"),
      sourceType: anything,
      id: string,
      mediaType: string,
      title: string,
      filename: optional(string),
      providerMetadata: metadata,
    }),
  }),
  startIndex: optional(count),
  endIndex: optional(count),
  citedText: optional(string),
});

const reference = { providerReference: optional(record(string)) };

/** Parts whose type is one word. */
function plainParts(generation: Generation): { readonly [type: string]: Rule } {
  const part = (members: Members): Rule => object({ type: anything, ...members });
  const filePart = part({ ...file, filename: optional(string), ...isOf(generation, 7, reference) });
  const steering = byWord("type", {
    text: part({ text: string, providerMetadata: metadata }),
    file: filePart,
  });
  return {
    text: part({
      text: string,
      state: streaming,
      providerMetadata: metadata,
      ...isOf(generation, 7, { citations: optional(list(citation)) }),
    }),
    reasoning: part({ id: optional(string), text: string, state: streaming, providerMetadata: metadata }),
    "source-url": part({ sourceId: string, url: string, title: optional(string), providerMetadata: metadata }),
    "source-document": part({
      sourceId: string,
      mediaType: string,
      title: string,
      filename: optional(string),
      providerMetadata: metadata,
    }),
    file: filePart,
    "step-start": part({}),
    ...(generation >= 7 && {
      custom: part({ kind: string, providerMetadata: metadata }),
      "reasoning-file": part(file),
      "steering-message": part({ id: string, parts: list(steering) }),
    }),
  };
}

const data = object({ type: anything, id: optional(string), data: anything });

function approvals(generation: Generation) {
  const head = {
    id: string,
    ...isOf(generation, 6, {
      descriptor: optional(anything),
      signature: optional(string),
      inputSchemaInput: optional(anything),
    }),
    ...isOf(generation, 7, { requestReason: optional(string), isAutomatic: optional(boolean) }),
  };
  const answered = (approved: Rule): Rule => object({ ...head, approved, reason: optional(string) });
  return {
    requested: object({ ...head, approved: never, reason: never }),
    responded: answered(boolean),
    granted: optional(answered(oneOf(true))),
    denied: answered(oneOf(false)),
  };
}

/** Tool parts by their state. Generation 5 has approvals on static parts only, and there does not say so in its types. */
function toolParts(generation: Generation, isDynamic: boolean): Rule {
  const result = { ...isOf(generation, 6, { resultProviderMetadata: metadata }) };
  const call = { callProviderMetadata: metadata };
  const head: Members = {
    type: anything,
    toolCallId: string,
    state: anything,
    providerExecuted: optional(boolean),
    ...(isDynamic && { dynamic: optional(oneOf(false)), toolName: string }),
    ...isOf(generation, 6, { toolMetadata: optional(record(optional(json))) }),
    ...isOf(generation, 7, { title: optional(string) }),
  };
  const hasApprovals = generation >= 6 || !isDynamic;
  const { requested, responded, granted, denied } = approvals(generation);
  const approval = (is: Rule): Members => (hasApprovals ? { approval: is } : {});
  const open = { ...head, output: never, errorText: never };
  const pending = { ...open, ...call, input: anything };
  const states = {
    "input-streaming": object({
      ...open,
      ...approval(never),
      ...isOf(generation, 6, { ...call, inputEncoding: optional(oneOf("json", "text")) }),
      input: optional(anything),
      rawInput: optional(string),
    }),
    "input-available": object({ ...pending, ...approval(never) }),
    "output-available": object({
      ...head,
      ...call,
      ...result,
      ...approval(granted),
      input: anything,
      output: anything,
      errorText: never,
      preliminary: optional(boolean),
    }),
    "output-error": object({
      ...head,
      ...call,
      ...result,
      ...approval(granted),
      input: optional(anything),
      rawInput: optional(anything),
      output: never,
      errorText: string,
    }),
  };
  if (!hasApprovals) return byWord("state", states);
  return byWord("state", {
    ...states,
    "approval-requested": object({ ...pending, approval: requested }),
    "approval-responded": object({ ...pending, approval: responded }),
    "output-denied": object({ ...pending, approval: denied }),
  });
}

/** A message of a generation, with its parts. */
export function messageRule(generation: Generation): Rule {
  const plain = plainParts(generation);
  const fixed = toolParts(generation, false);
  const dynamic = toolParts(generation, true);
  const ruleOf = (type: unknown): Rule | undefined => {
    if (typeof type !== "string") return undefined;
    if (type.startsWith("data-")) return data;
    if (type.startsWith("tool-")) return fixed;
    if (type === "dynamic-tool") return dynamic;
    return Object.hasOwn(plain, type) ? plain[type] : undefined;
  };
  const part: Rule = {
    read: (value, place) => {
      if (!isJsonObject(value)) return wrong(value, "a part, an object with a `type`", place);
      const type: unknown = value["type"];
      const rule = ruleOf(type);
      return rule ? rule.read(value, place) : unknownType(type, place);
    },
  };
  const members = {
    id: string,
    role: oneOf("system", "user", "assistant"),
    metadata: optional(anything),
    parts: list(part),
  };
  return object(members);
}

function unknownType(type: unknown, { path, issues }: Place): undefined {
  const expected = "expected a part of this generation (`text`, `file`, …), `data-…`, `tool-…` or `dynamic-tool`";
  issues.add("unknown-type", [...path, "type"], `is ${type === undefined ? "missing" : shown(type)}; ${expected}`);
}
