/**
 * The AI SDK's messages, their parts and their stream: what formats that hold them share. Facts from `ai` 5.0.277, 6.0.326
 * and 7.0.173, read and run on 2026-11-30.
 */

import { type Holds, type LossTable, type PartHolds, unsupported } from "../../codec/codec.ts";
import type { Generation } from "./part.ts";

export { isNewMessage, isOldMessage, mayBeOld } from "./generations.ts";
export { decodeMessage, decodeMessages, type MessageReading, type OwnMessage, writeCarry } from "./messages.ts";
export { isKnownMaker } from "./metadata.ts";
export { family, type Generation, unnamed } from "./part.ts";
export { streamReader, streamReadingLosses } from "./stream-reading.ts";
export { type StreamWriting, streamWriter, streamWritingLosses } from "./stream-writing.ts";
export { encodeMessages, type MessageWriting } from "./writing.ts";

const noApplications = "the SDK has no such part";

const noOutput = unsupported("an output is texts, files, sources, data and errors");

const output: PartHolds = {
  text: ["text"],
  reasoning: noOutput,
  refusal: noOutput,
  file: ["mediaType", "name", "source"],
  "tool-call": noOutput,
  "tool-result": noOutput,
  "approval-request": noOutput,
  "approval-response": noOutput,
  "input-request": noOutput,
  "input-response": noOutput,
  source: ["id", "url", "title", "name", "mediaType"],
  data: ["data"],
  error: ["message"],
  change: noOutput,
  compaction: noOutput,
  opaque: noOutput,
};

const partsOf = (generation: Generation, isStream: boolean): PartHolds => ({
  text: ["citations", "text", "phase", "seal", "cache", "partial"],
  reasoning: ["id", "text", "summary", "seal", "cache", "partial"],
  refusal: ["text", "seal", "cache", "partial"],
  file: [...(isStream ? [] : (["name"] as const)), "mediaType", "source", "detail", "reasoning", "seal", "cache"],
  "tool-call": [
    ...(generation >= 6 ? (["title"] as const) : []),
    "callId",
    "name",
    "input",
    "inputText",
    "kind",
    "executedBy",
    "server",
    "caller",
    "seal",
    "cache",
    "partial",
  ],
  "tool-result": ["callId", "name", "output", "structured", "outcome", "preliminary", "seal", "cache"],
  "approval-request": [...(generation === 6 ? [] : (["reason", "automatic"] as const)), "requestId", "callId", "call"],
  "approval-response": ["requestId", "callId", "approved", "reason"],
  "input-request": unsupported(noApplications),
  "input-response": unsupported(noApplications),
  source: ["id", "url", "title", "name", "mediaType", "fileId", "seal", "cache"],
  data: ["id", "name", "data"],
  error: unsupported("an error is of the stream, not of a message"),
  change: unsupported("a history has no changes of tools or models"),
  compaction: unsupported("there are no summaries"),
  opaque: ["family", "value"],
});

const tableOf = (generation: Generation, isStream: boolean): Holds => ({
  conversation: [],
  message: isStream ? ["id", "run", "metadata", "finish"] : ["id", "run", "metadata"],
  parts: partsOf(generation, isStream),
  output,
  citation: ["url", "title", "name", "fileId", "start", "end", "quote", "seal"],
  tool: [],
  settings: [],
  usage: [],
  families: ["ai-sdk"],
});

const tables = {
  5: { whole: tableOf(5, false), stream: tableOf(5, true) },
  6: { whole: tableOf(6, false), stream: tableOf(6, true) },
  7: { whole: tableOf(7, false), stream: tableOf(7, true) },
} as const;

/** What a generation's messages have a place for, or its stream. */
export const holdsOf = (generation: Generation, kind: "whole" | "stream"): Holds => tables[generation][kind];

/** What gets lost on the way to the SDK beyond what `holds` says. */
export const losses = {
  "message-id": { kind: "synthesised", note: "messages of a run are numbered from the id of its first" },
  "cited-sources": { kind: "approximated", note: "what a text cites is told as sources behind it" },
  "made-id": { kind: "dropped", note: "an id that begins with `~` is read as none" },
  run: { kind: "approximated", note: "a run is named by its message, where it needs a name" },
  role: { kind: "approximated", note: "the SDK knows system, user and assistant" },
  control: { kind: "dropped", note: "a message that is no turn has no place" },
  "no-parts": { kind: "dropped", note: "a tool message without results says nothing" },
  "empty-message": { kind: "synthesised", note: "only an assistant's message may be empty" },
  "joined-metadata": { kind: "dropped", note: "only the first message of a run has metadata" },
  "joined-native": { kind: "dropped", note: "only the first message of a run has members of its own" },
  moved: { kind: "merged", note: "a result or an answer is told with its call" },
  "results-joined": {
    kind: "merged",
    note: "the results of a step are one message, ordered as its calls",
  },
  misplaced: { kind: "merged", note: "a tool message holds results; other parts are the assistant's" },
  "made-call": { kind: "synthesised", note: "a result needs a call" },
  "held-call": { kind: "approximated", note: "a call held inside a question is told as a call" },
  "retold-call": { kind: "merged", note: "a call that a question held already is told once" },
  "made-request": { kind: "synthesised", note: "an answer needs a question" },
  "approval-answer": { kind: "synthesised", note: "a result needs the answer that led to it" },
  "denied-result": { kind: "synthesised", note: "a call that was refused is told as failed, for want of a state" },
  "refused-result": { kind: "approximated", note: "the call was refused: what is told of it after that is a denial" },
  "response-call": { kind: "synthesised", note: "an answer names the call of its question" },
  "second-answer": { kind: "dropped", note: "of two answers to a question the first counts" },
  "preliminary-result": { kind: "dropped", note: "a later result of the call takes its place" },
  "result-name": { kind: "dropped", note: "a result has its call's name" },
  "partial-call": { kind: "approximated", note: "an answered call is complete" },
  "call-kind": { kind: "dropped", note: "the kind of a call has no place" },
  "input-text": { kind: "dropped", note: "the spelling of arguments has no place" },
  "unread-input": { kind: "approximated", note: "a text that is no JSON is told as a value" },
  "raw-input": {
    kind: "approximated",
    note: "that the arguments of a failed call stood in another member (`rawInput` or `input`) is not said",
  },
  "no-input": { kind: "synthesised", note: "a call must have arguments" },
  "no-output": { kind: "synthesised", note: "a result must have an output" },
  "error-output": { kind: "flattened", note: "a failed call says one text, and an error in an output is a text" },
  interrupted: { kind: "approximated", note: "an interrupted call is a failed one" },
  "denied-output": { kind: "approximated", note: "a denied call says the answer's reason" },
  "denied-outcome": { kind: "approximated", note: "a denied call is a failed one" },
  "reasoning-summary": {
    kind: "approximated",
    note: "whether reasoning is a summary is told by its maker's seal alone",
  },
  "hidden-reasoning": { kind: "approximated", note: "hidden reasoning is an empty text beside its seal" },
  refusal: { kind: "flattened", note: "a refusal becomes text" },
  "reasoning-file": { kind: "approximated", note: "a file made while thinking is a file" },
  "file-member": { kind: "dropped", note: "the file has no place for it" },
  "file-provider": { kind: "synthesised", note: "a reference names its provider" },
  "file-source": { kind: "flattened", note: "a document is data of one text" },
  "data-url": { kind: "approximated", note: "a data URL of base64 is read as its data" },
  "file-reference": { kind: "flattened", note: "a file that a provider keeps is told as data" },
  "data-name": { kind: "dropped", note: "an empty name is read as none" },
  "source-member": { kind: "dropped", note: "this kind of source has no place for it" },
  "citation-member": { kind: "dropped", note: "this kind of citation has no place for it" },
  "steering-part": { kind: "dropped", note: "a word during a run is texts and files" },
  "late-member": { kind: "dropped", note: "this generation refuses it" },
  "late-part": { kind: "flattened", note: "the generation does not know it; told as data" },
} as const satisfies LossTable;
