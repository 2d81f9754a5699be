/** Parts → contents of answers in the AI SDK. */

import { wholeOf } from "../../codec/hints.ts";
import { restored } from "../../codec/remainder.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  FilePart,
  FileSource,
  Part,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import type { AnswerPlace } from "./answer.ts";
import { contentOptions as options, contentResultOptions as resultOptions } from "./content.ts";
import { base64OfText } from "./files.ts";
import { noFields, textFields } from "./metadata.ts";
import { encodeModelFile, textOf } from "./model-files.ts";
import { plainText } from "./model-output.ts";
import { loseShared, modelFamily, ownOf, sharedOf, wireNode } from "./model-part.ts";
import { callFields, encodeModelReasoning } from "./model-part-writing.ts";
import type { LosePart, PartWriting } from "./part.ts";
import { citedSources, encodeCitation, encodeSource } from "./sources.ts";
import { deniedText } from "./tools.ts";

export interface ContentWriting extends AnswerPlace {
  readonly lose: LosePart;
  /** An id for what has none and must have one. */
  readonly madeId: () => string;
  /** The call that a result or question is about, where it is known. */
  readonly call?: ToolCallPart | undefined;
  /** Whether the call that a question holds stands before it already. */
  readonly isTold?: boolean;
  /** The answer that denied the call, where it is known. */
  readonly denial?: ApprovalResponsePart | undefined;
  /** Whether a result stands in the assistant's message: it is the provider's. */
  readonly isInline?: boolean;
}

/** All that is told of a part: before a question the call that it holds, and behind a text of the older generations what it cites. */
export function encodeContents(part: Part, writing: ContentWriting): readonly Json[] {
  const held = heldCall(part, writing);
  const cited = part.type === "text" && writing.generation < 7 ? citedSources(part) : [];
  const own = [part, ...cited].map(each => encodeContent(each, writing));
  return [held, ...own].filter(wire => wire !== undefined);
}

/** The call that a question holds inside, if it does not stand before it already. */
export function heldCall(part: Part, writing: ContentWriting): Json | undefined {
  if (part.type !== "approval-request" || !part.call || writing.isTold) return undefined;
  return encodeCall(part.call, { ...writing, lose: (code, _, detail) => writing.lose(code, "call", detail) });
}

/** Undefined where the answer has no place for the part. */
export function encodeContent(part: Part, writing: ContentWriting): Json | undefined {
  const { lose, generation } = writing;
  switch (part.type) {
    case "refusal":
      lose("refusal");
      return encodeText({ ...part, type: "text" }, writing);
    case "text":
      return encodeText(part, writing);
    case "reasoning":
      return encodeModelReasoning(part, { generation, form: "prompt", lose }, options);
    case "file":
      return encodeFile(part, writing);
    case "source":
      return encodeAnswerSource(part, writing);
    case "tool-call":
      return encodeCall(part, writing);
    case "tool-result":
      return encodeResult(part, writing);
    case "approval-request":
      return encodeRequest(part, writing);
    case "approval-response":
      return encodeResponse(part, writing);
    case "opaque":
      return encodeRaw(part, writing);
    default:
      return undefined;
  }
}

const partWriting = ({ generation, lose, madeId }: ContentWriting): PartWriting => ({
  generation,
  role: "assistant",
  lose,
  madeId,
});

function encodeText(part: TextPart, writing: ContentWriting): JsonObject {
  const citations = citationsOf(part, writing);
  return wireNode({ type: "text", text: part.text, ...(citations && { citations }) }, part, {
    fields: textFields,
    place: options,
    lose: writing.lose,
  });
}

/** The citations of a text, as the text's end in a stream has them. */
export function citationsOf({ citations }: TextPart, writing: ContentWriting): readonly Json[] | undefined {
  if (citations && writing.generation < 7) {
    writing.lose("cited-sources", "citations");
    return undefined;
  }
  return citations?.map(citation => encodeCitation(citation, partWriting(writing)));
}

function encodeFile(part: FilePart, writing: ContentWriting): Json {
  const { generation, answer, lose } = writing;
  const place = { generation, form: "prompt", lose, options } as const;
  if (part.name !== undefined) lose("file-member", "name");
  const { name: _, ...unnamed } = part;
  const source = contentOf(part.source, lose);
  const wire = encodeModelFile({ ...unnamed, source }, place);
  if (answer === "answer") return wire;
  if (!("data" in source)) lose("file-source", "source");
  const { data: content = null, mediaType = null, ...others } = wire;
  const said = isJsonObject(content) ? (content["data"] ?? content["url"] ?? "") : content;
  return { ...others, file: { mediaType, base64: said } };
}

/** A model answers with bytes, or an address of them. */
function contentOf(source: FileSource, lose: LosePart): FileSource {
  if ("data" in source || "url" in source) return source;
  lose("file-source", "source");
  return "id" in source ? { url: source.id } : { data: base64OfText(textOf(source)) };
}

function encodeAnswerSource(part: SourcePart, writing: ContentWriting): JsonObject {
  const { type, sourceId, ...others } = encodeSource(part, partWriting(writing));
  return { type: "source", sourceType: type === "source-url" ? "url" : "document", id: sourceId ?? "", ...others };
}

function encodeCall(part: ToolCallPart, writing: ContentWriting): Json {
  const { answer, generation, lose } = writing;
  const {
    toolCallId = "",
    toolName = "",
    ...others
  } = callFields(part, { generation, form: "prompt", lose }, "providerMetadata");
  const input = answer === "answer" ? inputText(part, lose) : inputValue(part, lose);
  const isDynamic = sharedOf(part)["$dynamic"] === true && ownOf(part)["$dynamic"] !== "start";
  const dynamic = isDynamic ? { dynamic: true } : {};
  const fields = {
    type: "tool-call",
    toolCallId,
    toolName,
    ...(input !== undefined && { input }),
    ...dynamic,
    ...others,
  };
  return restored(fields, part, modelFamily);
}

/** Models give arguments as text. */
export function inputText(part: ToolCallPart, lose: LosePart): string {
  const text = inputTextOf(part);
  if (text !== undefined) return text;
  if (ownOf(part)["$input"] === "") return "";
  lose("no-input");
  return "{}";
}

function inputValue(part: ToolCallPart, lose: LosePart): Json | undefined {
  if (part.input !== undefined) {
    if (part.inputText !== undefined) lose("input-text", "inputText");
    return part.input;
  }
  if (part.inputText === undefined) {
    if (ownOf(part)["$input"] === "none") return undefined;
    lose("no-input");
    return {};
  }
  if (ownOf(part)["invalid"] !== true) lose("unread-input", "inputText");
  return part.inputText;
}

function encodeResult(part: ToolResultPart, writing: ContentWriting): Json {
  const { answer, lose, call } = writing;
  const name = part.name ?? call?.name;
  if (part.name === undefined) lose("result-name", "name", name ?? "unknown");
  const named = { toolCallId: part.callId, toolName: name ?? "unknown" };
  const preliminary = part.preliminary ? { preliminary: true } : {};
  const isMissing = ownOf(part)["$output"] === "none" && part.output === undefined;
  const place = { fields: noFields, place: resultOptions, lose };
  if (answer === "answer") {
    if (part.outcome !== undefined && part.outcome !== "error") lose(lossOf(part.outcome), "outcome");
    const result = isMissing ? {} : { result: resultValue(part, lose) };
    const failed = part.outcome === undefined ? {} : { isError: true };
    return wireNode({ type: "tool-result", ...named, ...result, ...failed, ...preliminary }, part, place);
  }
  const own = ownOf(part);
  const given = call?.input ?? call?.inputText;
  const isSaid = own["input"] !== undefined || own["$input"] === "none";
  const whose = writing.isInline && own["$providerExecuted"] !== false ? { providerExecuted: true } : {};
  const input = { ...(!isSaid && given !== undefined && { input: given }), ...whose };
  if (part.outcome === "denied" && writing.generation >= 6) {
    const reason = writing.denial?.reason;
    const read = reason === undefined ? undefined : [{ type: "text", text: reason }];
    if (!equalJson(part.output, read)) lose("denied-output", "output");
    return wireNode({ type: "tool-output-denied", ...named, ...whose }, part, place);
  }
  if (part.outcome === undefined)
    return wireNode(
      {
        type: "tool-result",
        ...named,
        ...input,
        ...(isMissing ? {} : { output: resultValue(part, lose) }),
        ...preliminary,
      },
      part,
      place,
    );
  if (part.outcome !== "error") lose(lossOf(part.outcome), "outcome");
  const said = part.outcome === "denied" ? withReason(part, writing) : part;
  const error = isMissing ? {} : { error: errorOf(said, lose) };
  return wireNode({ type: "tool-error", ...named, ...input, ...error, ...preliminary }, part, place);
}

/** Generation 5 has no denial: it is an error that says why. */
function withReason(part: ToolResultPart, { denial, lose }: ContentWriting): ToolResultPart {
  if (part.output !== undefined) return part;
  lose("no-output", "output");
  return { ...part, output: [{ type: "text", text: denial?.reason ?? deniedText }] };
}

const lossOf = (outcome: "denied" | "interrupted"): string => (outcome === "denied" ? "denied-outcome" : outcome);

/** The one value of a result. */
function resultValue({ output }: ToolResultPart, lose: LosePart): Json {
  const [only, ...others] = output ?? [];
  if (output === undefined || !only) {
    lose("no-output", "output");
    return output === undefined ? null : [];
  }
  const isBare = only.native === undefined && only.seal === undefined && only.cache === undefined;
  if (others.length === 0 && only.type === "text" && isBare) return only.text;
  // A text as a value would be read as a text.
  if (others.length === 0 && only.type === "data" && typeof only.data !== "string") return only.data;
  lose("result-content", "output");
  if (others.length === 0) return only.type === "file" ? contentItem(only) : plainText(only);
  return output.map(contentItem);
}

/** In the form of MCP, which most who look into results know. */
function contentItem(part: Part): Json {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type !== "file" || !("data" in part.source || "url" in part.source))
    return { type: "text", text: plainText(part) };
  const mediaType = part.mediaType ?? "application/octet-stream";
  return "data" in part.source
    ? { type: "file", mediaType, data: part.source.data }
    : { type: "file", mediaType, url: part.source.url };
}

/** An error says its message; what was read of one goes back while it says the same (R1). */
function errorOf(part: ToolResultPart, lose: LosePart): Json {
  const raw = wholeOf(ownOf(part), "error");
  const [only, ...others] = part.output ?? [];
  const text = only?.type === "text" && others.length === 0 ? only.text : undefined;
  if (isJsonObject(raw) && text !== undefined && raw["message"] === text) return raw;
  return resultValue(part, lose);
}

function encodeRequest(part: ApprovalRequestPart, writing: ContentWriting): Json | undefined {
  const { generation, answer, lose, call } = writing;
  const { signature } = sharedOf(part);
  if (part.call) lose("held-call", "call");
  const known = part.call ?? call;
  const about =
    answer === "answer"
      ? { toolCallId: part.callId }
      : {
          toolCall: known
            ? encodeCall(known, { ...writing, lose: () => undefined })
            : { type: "tool-call", toolCallId: part.callId },
        };
  const fields = {
    type: "tool-approval-request",
    approvalId: part.requestId,
    ...about,
    ...(generation >= 7 && part.reason !== undefined && { reason: part.reason }),
    ...(generation >= 7 && part.automatic && { isAutomatic: true }),
    ...(signature !== undefined && { signature }),
  };
  return wireNode(fields, part, { fields: noFields, place: options, taken: ["signature"], lose });
}

function encodeResponse(part: ApprovalResponsePart, writing: ContentWriting): Json | undefined {
  const { lose, call } = writing;
  loseShared(part, [], lose);
  if (part.callId === undefined && call) lose("answer-call", "callId");
  const callId = part.callId ?? call?.callId;
  const about =
    callId === undefined
      ? {}
      : {
          toolCall: call
            ? encodeCall(call, { ...writing, lose: () => undefined })
            : { type: "tool-call", toolCallId: callId },
        };
  return restored(
    {
      type: "tool-approval-response",
      approvalId: part.requestId,
      approved: part.approved,
      ...about,
      ...(part.reason !== undefined && { reason: part.reason }),
    },
    part,
    modelFamily,
  );
}

function encodeRaw(part: Extract<Part, { type: "opaque" }>, { generation, lose }: ContentWriting): Json | undefined {
  if (part.family === modelFamily) return part.value;
  const isCustom =
    isJsonObject(part.value) && part.value["type"] === "custom" && typeof part.value["kind"] === "string";
  if (isCustom && generation >= 7) return part.value;
  lose("ui-part");
  return undefined;
}
