/** Parts → contents. */

import { hintsOf, present } from "../../codec/remainder.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  Part,
  PartOf,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { groupsApart, writeAnnotations } from "./annotations.ts";
import { hostedBy, idFields, writeCall } from "./calls.ts";
import { writeFile, writeSource } from "./files.ts";
import { writeDataText, writeResult, writeRun } from "./results.ts";
import { saysItem, writeSeal } from "./seals.ts";
import { spell } from "./spelling.ts";
import { isBlank } from "./text-blank.ts";
import { family, propertiesOf, type Writing, wireOf, within, withProperties } from "./wire.ts";

/** What stands around a part. */
export interface Surroundings {
  /** The call that a result answers. */
  readonly callOf?: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Whether that call stands in the same message, so that the result need not say its kind. */
  readonly isBeside?: (result: ToolResultPart) => boolean;
  /** Whether it is read as a denial: its call was refused before it. */
  readonly isRefused?: (result: ToolResultPart) => boolean;
  /** Whether a call stands only inside the question that is asked about it (R22). */
  readonly isHeld?: (call: ToolCallPart) => boolean;
  /** The call that an approval is about, where it does not hold it. */
  readonly asked?: (approval: ApprovalRequestPart | ApprovalResponsePart) => { callId?: string; call?: ToolCallPart };
  /** Whether something else names a call or a result by its made id. */
  readonly isNamed?: (callId: string) => boolean;
  /** Inside of what a web search gave. */
  readonly isFound?: boolean;
  /** Inside of what a program gave. */
  readonly isRun?: boolean;
}

/** Contents of parts; `path` leads to the list of parts. */
export const writeContents = (parts: readonly Part[], writing: Writing, around: Surroundings = {}): readonly Json[] =>
  parts.flatMap((part, index) => writePart(part, within(writing, index), around));

/** The contents of a part: one, or none, which is reported; of a text also the citations that came after it. */
export function writePart(part: Part, writing: Writing, around: Surroundings = {}): readonly Json[] {
  const run = around.isRun && part.type === "data" ? writeRun(part, writing) : undefined;
  if (run) return run;
  if (part.type === "tool-call" && around.isHeld?.(part)) {
    writing.context.lose("held-call", writing.path.slice(0, -1));
    return [];
  }
  const content = writeContent(part, writing, around);
  if (content === undefined) return [];
  const groups = part.type === "text" ? groupsOf(part) : [];
  if (part.type !== "text" || groups.length === 0) return [content];
  return [content, ...writeCitations(part, groups, writing)];
}

const groupsOf = (part: PartOf<"text">): readonly number[] =>
  groupsApart(hintsOf(part, family)["$apart"], part.citations?.length ?? 0);

/** Contents with nothing but the citations of a text, as they are streamed after it. */
export function writeCitations(part: PartOf<"text">, groups: readonly number[], writing: Writing): readonly Json[] {
  let start = 0;
  return groups.map(count => {
    const citations = part.citations?.slice(start, start + count) ?? [];
    start += count;
    return { annotations: writeAnnotations(citations, within(writing, "citations")) };
  });
}

/** The content of a part; undefined where it has none, which is reported. */
export function writeContent(part: Part, writing: Writing, around: Surroundings = {}): Json | undefined {
  switch (part.type) {
    case "text":
      return writeText(part, writing);
    case "reasoning":
      return writeReasoning(part, writing);
    case "refusal":
      return wireOf("ErrorContent", { $type: "error", message: part.text, errorCode: "Refusal" }, part);
    case "error":
      return writeError(part, writing);
    case "file":
      return writeFile(part, writing);
    case "source":
      return writeSource(part, around.isFound ?? false, writing);
    case "tool-call":
      return writeCall(part, writing, around.isNamed?.(part.callId));
    case "tool-result":
      return writeToolResult(part, writing, around);
    case "approval-request":
      return writeRequest(part, writing, around);
    case "approval-response":
      return writeResponse(part, writing, around);
    case "data":
      return writeDataText(part, writing);
    case "opaque":
      return part.value;
    default:
      writing.context.lose("no-content", writing.path, part.type); // narrowing has taken these out
      return undefined;
  }
}

function writeText(part: PartOf<"text">, writing: Writing): JsonObject {
  const { citations } = part;
  const isApart = groupsOf(part).length > 0;
  const annotations = citations && !isApart ? writeAnnotations(citations, within(writing, "citations")) : undefined;
  const properties = withProperties(part, propertiesOf(part));
  return wireOf("TextContent", { $type: "text", text: part.text, ...present({ annotations }), ...properties }, part);
}

function writeReasoning(part: PartOf<"reasoning">, writing: Writing): JsonObject {
  const { text, seal } = part;
  const isHidden = text === undefined;
  if (isHidden !== (seal !== undefined && (text ?? "") === "")) {
    writing.context.lose(isHidden ? "no-reasoning" : "empty-reasoning", writing.path);
  }
  const { protectedData, properties } = seal ? writeSeal(seal, writing) : { properties: {} };
  const isRead = !isHidden && text !== "" && saysItem(properties);
  if ((part.summary === true) !== isRead) writing.context.lose("summary", [...writing.path, "summary"]);
  const fields = {
    $type: "reasoning",
    text: text ?? "",
    ...present({ protectedData }),
    ...withProperties(part, properties),
  };
  return wireOf("TextReasoningContent", fields, part);
}

function writeError(part: PartOf<"error">, writing: Writing): JsonObject {
  const { message, code, details } = part;
  if (code === "Refusal") writing.context.lose("refusal-code", [...writing.path, "code"]);
  return wireOf("ErrorContent", { $type: "error", message, ...present({ errorCode: code, details }) }, part);
}

function writeToolResult(part: ToolResultPart, writing: Writing, around: Surroundings): JsonObject {
  const { context, path } = writing;
  const call = around.callOf?.(part);
  const tool = hostedBy(part.kind ?? call?.kind);
  const read = tool?.kind; // what a reader takes it for
  const beside = around.isBeside?.(part) ? call : undefined;
  const said = beside && beside.kind === read ? undefined : beside && read === undefined ? "function" : read;
  if (said !== part.kind) context.lose("tool-kind", part.kind === undefined ? path : [...path, "kind"]);
  if (part.outcome !== (around.isRefused?.(part) ? "denied" : undefined))
    context.lose("outcome", [...path, "outcome"], part.outcome);
  const ids = { ...idFields(part, around.isNamed?.(part.callId)), ...withProperties(part, propertiesOf(part)) };
  if (!tool) {
    const given = writeResult(part, writeContents, writing);
    const wire = wireOf("FunctionResultContent", { $type: "functionResult", ...ids, ...given }, part);
    const [only] = part.output ?? [];
    if (typeof given["result"] === "number") spell(wire, "result", only?.exact?.["/data"]);
    return wire;
  }
  const inner: Surroundings = { isFound: tool.kind === "web-search", isRun: tool.kind === "code-interpreter" };
  const outputs = part.output && writeContents(part.output, within(writing, "output"), inner);
  return wireOf(tool.resultType, { $type: `${tool.stem}Result`, ...present({ outputs }), ...ids }, part);
}

function writeRequest(part: ApprovalRequestPart, writing: Writing, around: Surroundings): JsonObject {
  const { requestId, automatic } = part;
  if (isBlank(requestId)) writing.context.lose("blank", [...writing.path, "requestId"]);
  const toolCall = writeAbout(part, writing, around);
  const fields = {
    $type: "toolApprovalRequest",
    ...present({ toolCall }),
    requiresConfirmation: automatic !== true,
    requestId,
  };
  return wireOf("ToolApprovalRequestContent", fields, part);
}

function writeResponse(part: ApprovalResponsePart, writing: Writing, around: Surroundings): JsonObject {
  const { requestId, approved, reason } = part;
  if (isBlank(requestId)) writing.context.lose("blank", [...writing.path, "requestId"]);
  const toolCall = writeAbout(part, writing, around);
  const fields = { $type: "toolApprovalResponse", approved, ...present({ toolCall, reason }), requestId };
  return wireOf("ToolApprovalResponseContent", fields, part);
}

/** The call inside of an approval, where MAF keeps it; one that stands elsewhere is put in. */
function writeAbout(
  part: ApprovalRequestPart | ApprovalResponsePart,
  writing: Writing,
  around: Surroundings,
): JsonObject | undefined {
  if (Object.hasOwn(hintsOf(part, family), "toolCall")) return undefined; // as it was read
  const { context, path } = writing;
  const { call } = part;
  if (call) {
    if (part.callId !== call.callId) context.lose("approval-call", [...path, "callId"]);
    return writeCall(call, within(writing, "call"), around.isNamed?.(call.callId));
  }
  const known = around.asked?.(part);
  if (known?.call) {
    context.lose("approval-call", path);
    const silent = { ...within(writing, "call"), context: { lose: () => undefined } };
    return writeCall(known.call, silent, around.isNamed?.(known.call.callId));
  }
  const callId = part.callId ?? known?.callId;
  if (part.callId === undefined) context.lose("approval-call", path);
  return callId === undefined ? undefined : { callId };
}
