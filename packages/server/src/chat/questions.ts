import {
  type Event,
  formatPath,
  isJsonObject,
  type Json,
  type Message,
  type Part,
  type PartOf,
  type Path,
} from "translogue";
import { HttpError } from "../http-error.ts";

/**
 * What tools ask people, on wires that have no part for it: a data part `data-input-request` with the question, and
 * `data-input-response` with `requestId` and, where the person says anything, `value`.
 */
const request = "input-request";
const response = "input-response";

/** The part as clients get it. */
function shownPart(part: Part): Part {
  if (part.type !== request && part.type !== response) return part;
  const { type: name, native: _, exact: __, ...data } = part;
  return { type: "data", name, id: part.requestId, data: data as unknown as Json }; // parts are JSON
}

export const shownEvent = (event: Event): Event =>
  event.type === "part" || event.type === "part-start" ? { ...event, value: shownPart(event.value) } : event;

export const shownMessages = (messages: readonly Message[]): Message[] =>
  messages.map(message => ({ ...message, parts: message.parts.map(shownPart) }));

/** The messages with the answers that people gave. Throws a 400 for one that names no question. `placeOf`: of a message in the request. */
export function withAnswers(messages: readonly Message[], placeOf: (message: number) => Path): Message[] {
  return messages.map((message, index) => {
    if (message.role !== "user" || !message.parts.some(isAnswer)) return message;
    return { ...message, parts: message.parts.map(part => (isAnswer(part) ? answerIn(part, placeOf(index)) : part)) };
  });
}

const isAnswer = (part: Part): part is PartOf<"data"> => part.type === "data" && part.name === response;

function answerIn({ data }: PartOf<"data">, path: Path): PartOf<"input-response"> {
  const { requestId, value } = isJsonObject(data) ? data : {};
  if (typeof requestId !== "string") {
    const message = `${formatPath(path)}: a \`data-${response}\` names the question that it answers in \`data.requestId\``;
    throw new HttpError(400, message, { details: { issues: [{ code: response, path, message }] } });
  }
  return { type: response, requestId, ...(value !== undefined && { value }) };
}
