/**
 * The AI SDK's model messages (`ModelMessage`), the prompts that its models get (`LanguageModelV2` to `V4`) and what those
 * answer: what formats that hold them share. Facts from `ai` 5.0.277, 6.0.326, 7.0.173 and `@ai-sdk/provider`, read and run
 * on 2026-11-30.
 */

import { type Holds, type LossTable, type PartHolds, unsupported } from "../../codec/codec.ts";
import type { AnswerPlace } from "./answer.ts";
import { type ModelPlace, modelFamily } from "./model-part.ts";
import { type Generation, family as uiFamily } from "./part.ts";

export {
  type AnswerPlace,
  answerLosses,
  answerNative,
  readAnswerHead,
  writeAnswerEnd,
  writeResponse,
} from "./answer.ts";
export { contentLosses, decodeContent, isContentType } from "./content.ts";
export { type ContentWriting, encodeContents } from "./content-writing.ts";
export { plain, withUrls } from "./live.ts";
export { decodeModelMessages, type ModelReading, readCarry, writeModelCarry } from "./model-messages.ts";
export { decodeModelOutput } from "./model-output.ts";
export { type ModelPlace, modelFamily } from "./model-part.ts";
export { decodeModelPart, nothingKnown } from "./model-parts.ts";
export { encodeModelMessages, type ModelMessageWriting } from "./model-writing.ts";
export { family, type Generation } from "./part.ts";
export { type RunReading, runReader, runReadingLosses } from "./run-reading.ts";
export { type RunWriting, runWriter, runWritingLosses } from "./run-writing.ts";

const noOutput = unsupported("an output is texts, values and files");
const noPart = unsupported("model messages have no such part");

const output: PartHolds = {
  text: ["text", "seal", "cache"],
  reasoning: noOutput,
  refusal: noOutput,
  file: ["mediaType", "name", "source", "detail", "seal", "cache"],
  "tool-call": noOutput,
  "tool-result": noOutput,
  "approval-request": noOutput,
  "approval-response": noOutput,
  "input-request": noOutput,
  "input-response": noOutput,
  source: ["url", "title", "name"],
  data: ["data"],
  error: ["message"],
  change: noOutput,
  compaction: noOutput,
  opaque: ["family", "value"],
};

const partsOf = ({ generation }: ModelPlace): PartHolds => ({
  text: ["text", "phase", "seal", "cache"],
  reasoning: ["text", "summary", "seal", "cache"],
  refusal: ["text", "seal", "cache"],
  file: ["mediaType", "name", "source", "detail", "reasoning", "seal", "cache"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "server", "caller", "seal", "cache"],
  "tool-result": ["callId", "name", "output", "outcome", "preliminary", "seal", "cache"],
  "approval-request":
    generation < 6
      ? unsupported("generation 5 has no approvals")
      : [...(generation >= 7 ? (["reason", "automatic"] as const) : []), "requestId", "callId", "call"],
  "approval-response":
    generation < 6 ? unsupported("generation 5 has no approvals") : ["requestId", "callId", "approved", "reason"],
  "input-request": noPart,
  "input-response": noPart,
  source: unsupported("a model is sent no sources"),
  data: unsupported("a model is told no application's data"),
  error: noPart,
  change: unsupported("a history has no changes of tools or models"),
  compaction: noPart,
  opaque: ["family", "value"],
});

const tableOf = (place: ModelPlace): Holds => ({
  conversation: [],
  message: [],
  parts: partsOf(place),
  output,
  citation: [],
  tool: [],
  settings: [],
  usage: [],
  families: [modelFamily, uiFamily],
});

const generations = [5, 6, 7] as const satisfies readonly Generation[];
const tables = new Map(
  generations.flatMap(generation =>
    (["message", "prompt"] as const).map(form => [`${generation} ${form}`, tableOf({ generation, form })] as const),
  ),
);

/** What model messages, or the messages of a prompt, have a place for. */
export const modelHolds = ({ generation, form }: ModelPlace): Holds =>
  tables.get(`${generation} ${form}`) ?? tableOf({ generation, form });

/** What an answer, whole or streamed, has a place for. */
export const answerHolds = ({ generation, answer }: AnswerPlace, isStream: boolean): Holds => {
  const key = `${generation} ${answer} ${isStream}`;
  const known = answerTables.get(key);
  if (known) return known;
  const table = answerTable(generation, { isRun: answer === "run", isStream });
  answerTables.set(key, table);
  return table;
};

const answerTables = new Map<string, Holds>();

function answerTable(
  generation: Generation,
  { isRun, isStream }: { readonly isRun: boolean; readonly isStream: boolean },
): Holds {
  const form = isRun ? "message" : "prompt";
  const base = tableOf({ generation, form });
  const partial = isStream ? (["partial"] as const) : [];
  return {
    ...base,
    message: ["responseId", "model", "createdAt", "finish", "usage"],
    parts: {
      ...base.parts,
      text: ["text", "phase", "seal", "cache", "citations", ...partial],
      reasoning: ["text", "summary", "seal", "cache", ...partial],
      file: ["mediaType", "name", "source", "detail", "reasoning", "seal", "cache"],
      "tool-call": [
        "callId",
        ...(generation >= 6 && isStream ? (["title"] as const) : []),
        "name",
        "input",
        "inputText",
        "kind",
        "executedBy",
        "server",
        "caller",
        "seal",
        "cache",
        ...partial,
      ],
      "tool-result": ["callId", "name", "output", "outcome", "preliminary", "seal", "cache"],
      ...approvalsOf(generation, isRun),
      source: ["id", "url", "title", "name", "mediaType", "fileId", "seal", "cache"],
    },
    citation: ["url", "title", "name", "fileId", "start", "end", "quote", "seal"],
    usage: [
      "input",
      "cacheRead",
      "cacheWrite",
      "output",
      "reasoning",
      ...(generation < 6 || isRun ? (["other"] as const) : []),
    ],
  };
}

function approvalsOf(
  generation: Generation,
  isRun: boolean,
): Pick<PartHolds, "approval-request" | "approval-response"> {
  const none = unsupported("generation 5 has no approvals");
  if (generation < 6) return { "approval-request": none, "approval-response": none };
  const why = generation >= 7 ? (["reason", "automatic"] as const) : [];
  return {
    "approval-request": [...why, "requestId", "callId", "call", "seal", "cache"],
    "approval-response": isRun
      ? ["requestId", "callId", "approved", "reason"]
      : unsupported("an answer has none of a person's"),
  };
}

/** What gets lost on the way to model messages and prompts beyond what `holds` says. */
export const modelLosses = {
  role: { kind: "approximated", note: "the SDK knows system, user, assistant and tool" },
  control: { kind: "dropped", note: "a message that is no turn has no place" },
  "system-text": { kind: "merged", note: "system text is one text with the options of the message" },
  misplaced: { kind: "approximated", note: "a part stands in a message of the role that has a place for it" },
  "empty-text": { kind: "dropped", note: "no provider takes an empty text" },
  "ui-member": { kind: "dropped", note: "only a UI message has a place for it" },
  "ui-part": { kind: "dropped", note: "only a UI message has a place for the piece" },
  "reasoning-summary": {
    kind: "approximated",
    note: "whether reasoning is a summary is told by its maker's seal alone",
  },
  "hidden-reasoning": { kind: "approximated", note: "hidden reasoning is an empty text beside its seal" },
  refusal: { kind: "flattened", note: "a refusal becomes text" },
  "reasoning-file": { kind: "approximated", note: "a file made while thinking is a file" },
  "file-member": { kind: "dropped", note: "the file has no place for it" },
  "file-url": { kind: "approximated", note: "an address that looks like base64 is read as such" },
  "file-provider": { kind: "synthesised", note: "a reference names its provider" },
  "file-reference": { kind: "approximated", note: "the generation has only the bare id of a provider's file" },
  "file-source": { kind: "flattened", note: "the file's content is told in another form" },
  "call-kind": { kind: "dropped", note: "the kind of a call has no place" },
  "input-text": { kind: "dropped", note: "the spelling of arguments has no place" },
  "unread-input": { kind: "approximated", note: "a text that is no JSON is told as a value" },
  "no-input": { kind: "synthesised", note: "a call must have arguments" },
  "result-name": { kind: "synthesised", note: "a result names its tool" },
  preliminary: { kind: "approximated", note: "a result is final" },
  "preliminary-result": { kind: "dropped", note: "a later result of the call takes its place" },
  "no-output": { kind: "synthesised", note: "a result must have an output" },
  "output-part": { kind: "flattened", note: "among several contents it is told as text" },
  "error-output": { kind: "flattened", note: "a failed call says one text or value" },
  interrupted: { kind: "approximated", note: "an interrupted call is a failed one" },
  "denied-outcome": { kind: "approximated", note: "a denied call is a failed one" },
  "denied-output": { kind: "flattened", note: "a denied call says one reason" },
  "held-call": { kind: "approximated", note: "a call held inside a question is told before it" },
  "retold-call": { kind: "merged", note: "a call that a question held already is told once" },
  "response-call": { kind: "dropped", note: "an answer names only its question" },
} as const satisfies LossTable;

/** What gets lost on the way to a model beyond that. */
export const promptLosses = {
  "own-request": { kind: "dropped", note: "a model is not told of questions to people" },
  "media-type": { kind: "approximated", note: "a model is told the media type that the data URL said" },
  "own-answer": { kind: "dropped", note: "a model is told only of answers to its provider's own questions" },
  "answers-joined": { kind: "merged", note: "an answer is one message" },
} as const satisfies LossTable;
