import type { Message } from "../model/conversation.ts";
import type { At, DeltaOf, Event, MessageHead } from "../model/events.ts";
import { demandMessages } from "../model/given.ts";
import { equalJson } from "../model/json.ts";
import type { Citation, Part, PartOf } from "../model/parts.ts";
import { readInput, writeInput } from "./input.ts";

/**
 * Messages → the events that give them back: `accumulate(emit(messages))` equals `messages`. Texts stream, as do arguments
 * and results that end in text: start, one delta, end. Other parts come whole. Finish and usage come at the end, where a
 * live stream has them.
 */
export function emit(messages: readonly Message[]): Event[] {
  demandMessages(messages);
  const events: Event[] = [];
  messages.forEach((message, number) => {
    emitMessage(message, number, events);
  });
  return events;
}

function emitMessage(message: Message, number: number, events: Event[]): void {
  const { parts, finish, usage, ...head } = message;
  events.push({ type: "message-start", message: number, head });
  parts.forEach((part, index) => {
    emitPart(part, { message: number, part: index }, events);
  });
  const set: Partial<MessageHead> = { ...(finish && { finish }), ...(usage && { usage }) };
  if (finish || usage) events.push({ type: "message-set", message: number, set });
  events.push({ type: "message-end", message: number });
}

function emitPart(part: Part, at: At, events: Event[]): void {
  const streamed = streamedForm(part);
  if (streamed === undefined) {
    events.push({ type: "part", value: part, ...at });
    return;
  }
  const { partial, ...start } = streamed.start;
  events.push({ type: "part-start", value: start, ...at });
  if (streamed.text !== "") events.push({ type: "part-delta", of: streamed.of, text: streamed.text, ...at });
  for (const citation of streamed.citations ?? []) events.push({ type: "citation", citation, ...at });
  if (!partial) events.push({ type: "part-end", ...at });
}

/** A part as its start and what comes after it. */
interface Streamed {
  readonly start: Part;
  readonly of: DeltaOf;
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** Undefined where the part has no text, or its events would not give it back as it is. */
function streamedForm(part: Part): Streamed | undefined {
  switch (part.type) {
    case "text":
      return textForm(part);
    case "refusal":
      return { start: { ...part, text: "" }, of: "refusal", text: part.text };
    case "reasoning":
      // Hidden reasoning comes whole: a start would promise text (E2).
      return part.text === undefined ? undefined : { start: { ...part, text: "" }, of: "reasoning", text: part.text };
    case "tool-call":
      return callForm(part);
    case "tool-result":
      return resultForm(part);
    default:
      return undefined;
  }
}

/** Citations follow the text, which their ranges speak of. */
function textForm(part: PartOf<"text">): Streamed {
  const { citations = [], ...others } = part;
  if (citations.length === 0) return { start: { ...part, text: "" }, of: "text", text: part.text };
  return { start: { ...others, text: "" }, of: "text", text: part.text, citations };
}

/**
 * Arguments that their text alone would not give back come whole: a value whose spelling is in `exact` (R6), one beside a
 * text that reads otherwise (R1).
 */
function callForm(part: PartOf<"tool-call">): Streamed | undefined {
  if (part.exact !== undefined && part.inputText === undefined) return undefined;
  const { input, inputText, ...start } = part;
  const text = writeInput(part);
  if (text === undefined) return undefined;
  const read = readInput(text, part.kind);
  if (read.inputText !== inputText || !equalJson(read.input, input)) return undefined;
  return { start, of: "tool-call", text };
}

function resultForm(part: PartOf<"tool-result">): Streamed | undefined {
  const last = part.output?.at(-1);
  if (last?.type !== "text") return undefined;
  const output = [...(part.output ?? []).slice(0, -1), { ...last, text: "" }];
  return { start: { ...part, output }, of: "tool-result", text: last.text };
}
