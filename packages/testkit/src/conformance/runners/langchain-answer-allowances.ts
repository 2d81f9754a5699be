import { isJsonObject } from "translogue";
import type { KeepOptions } from "../../keeps.ts";
import { type Checks, type Compared, holdsText, isEmpty, itemAt, member, optionsOf } from "./langchain-allowances.ts";

/** Where LangChain's messages of answers and ours differ on purpose. */
export const answerOptions = (all: Compared): KeepOptions => optionsOf(checks, all);

const checks: Checks = {
  "nothing said": ({ theirs, ours }) =>
    (ours === undefined || ours === theirs) && (isEmpty(theirs) || theirs === 0 || isZeros(theirs)),
  "id of the answer": ({ at, theirs, all }) =>
    at === "id" && theirs === member(member(all.ours, "response_metadata"), "id"),
  "name of the class": ({ at }) => at === "response_metadata.model_provider",
  "usage said again": ({ at }) =>
    /^response_metadata\.(usage|tokenUsage|estimatedTokenUsage|prompt|completion)(\.|$)/.test(at),
  "output said again": ({ at }) => /^response_metadata\.(output|tool_outputs)(\.|$)/.test(at),
  "envelope's constants": ({ at, ours }) =>
    ours === undefined &&
    /^response_metadata\.(object|status|created_at|created|parallel_tool_calls|tool_choice)$/.test(at),
  "glued by merging": ({ theirs, ours }) =>
    typeof theirs === "string" &&
    typeof ours === "string" &&
    ours !== "" &&
    theirs === ours.repeat(theirs.length / ours.length),
  "model of the answer": ({ at, all }) =>
    at === "response_metadata.model" && member(member(all.ours, "response_metadata"), "model_name") !== undefined,
  "raw calls": ({ at, theirs, all }) =>
    at === "additional_kwargs.tool_calls" &&
    JSON.stringify(member(all.ours, "tool_calls") ?? []).includes(idOf(theirs)),
  "blocks beside the content": ({ at, theirs, all }) =>
    /^additional_kwargs\.(reasoning|tool_outputs|reasoning_content|refusal|__openai_\w+_ids__)$/.test(at) &&
    isHeld(theirs, member(all.ours, "contentBlocks")),
  "output of code": ({ theirs, ours }) =>
    member(theirs, "type") === "code_interpreter_output" &&
    typeof ours === "string" &&
    String(member(theirs, "stdout")).trim() === ours.trim(),
  "kinds of citations": ({ at }) => /\.annotations\.\*\.source$/.test(at),
  "pieces of the stream": ({ at, key, theirs }) =>
    at.startsWith("contentBlocks") && key === "index" && typeof theirs === "number",
  "members of the service": ({ at, ours }) =>
    ours === undefined &&
    /\.(output\.results\.\*\.(score|attributes)|annotations\.\*\.(startIndex|container_id|file_id|title)|metadata)(\.|$)/.test(
      at,
    ),
  "items as they are": ({ at, theirs, all }) =>
    at === "contentBlocks.*" && member(theirs, "type") === "non_standard" && isHeld(member(theirs, "value"), all.ours),
  "pictures in results": ({ at, theirs, all }) =>
    at === "contentBlocks.*" && member(theirs, "type") === "image" && holdsText(all.ours, member(theirs, "data")),
  "texts that the fold loses": ({ key, theirs, ours }) =>
    key === "text" && typeof theirs === "string" && theirs !== "" && typeof ours === "object",
  "seals of other makers": ({ at, theirs, all }) =>
    /^contentBlocks\.\*\.(id|encrypted_content)$/.test(at) && isHeld(theirs, all.ours),
  "ids that rotate": ({ at, theirs, all }) =>
    ((at === "id" || at === "response_metadata.id") &&
      typeof member(member(all.ours, "response_metadata"), "id") === "string") ||
    (at === "additional_kwargs.reasoning" && isHeld(member(itemAt(member(theirs, "summary"), 0), "text"), all.ours)),
  approvals: ({ at, theirs }) =>
    (at === "additional_kwargs.tool_outputs" || at === "contentBlocks.*") &&
    JSON.stringify(theirs).includes('"mcp_approval_request"'),
  "action of the call": ({ key, theirs, ours }) =>
    key === "output" && isEmpty(ours) && member(theirs, "action") !== undefined,
  "results of nothing": ({ theirs, ours }) =>
    ours === undefined && member(theirs, "type") === "server_tool_call_result" && isEmpty(member(theirs, "output")),
  "reasoning beside": ({ at, theirs, ours, all }) =>
    at === "usage_metadata.output_tokens" &&
    ours ===
      Number(theirs) + Number(member(member(member(all.ours, "usage_metadata"), "output_token_details"), "reasoning")),
};

const isZeros = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every(inner => inner === 0 || isEmpty(inner));

const idOf = (list: unknown): string => String(Array.isArray(list) ? member(list[0], "id") : undefined);

const isIds = (value: unknown): value is { readonly [id: string]: unknown } =>
  isJsonObject(value) && value["type"] === undefined && value["$long"] === undefined;

/** Whether each item's id, or the text itself, stands among the blocks. */
function isHeld(theirs: unknown, blocks: unknown): boolean {
  const items = Array.isArray(theirs) ? theirs : isIds(theirs) ? Object.values(theirs) : [theirs];
  return items.every(item => {
    const long = member(item, "$long");
    const mark = typeof item === "string" ? item : (member(long, "sha256") ?? member(item, "id"));
    return holdsText(blocks, mark);
  });
}
