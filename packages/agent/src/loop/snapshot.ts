import { accumulator, type Event, emit, type Message } from "translogue";
import type { RunSnapshot, RunState } from "./state.ts";
import { step } from "./step.ts";

/** The run's messages in the order of the session: answers, results of what was answered, other input, the rest. */
export const messagesOf = (run: Omit<RunSnapshot, "state">): readonly Message[] => behindHistory([], run);

/** The same behind those of the session before it. */
export const behindHistory = (
  history: readonly Message[],
  { messages, answers, input, inputAt }: Omit<RunSnapshot, "state">,
): readonly Message[] => history.concat(answers, messages.slice(0, inputAt), input, messages.slice(inputAt));

/** Without what tools had shown so far: a call that is made again shows it again. */
export const withoutProgress = (messages: readonly Message[]): readonly Message[] =>
  messages.map(message => {
    const parts = message.parts.filter(part => part.type !== "tool-result" || !part.preliminary);
    return parts.length === message.parts.length ? message : { ...message, parts };
  });

/** The events that a reader who saw nothing of the run has missed; messages under way stay open. */
export function replay({ state, messages }: RunSnapshot): Event[] {
  const { answer, phase } = state;
  const startsOver = phase === "model" && answer !== undefined && answer.continuation === undefined;
  const kept = startsOver ? messages.slice(0, answer.message) : messages;
  return kept.flatMap((message, number) => {
    const parts = state.results?.message === number ? state.results.parts : undefined;
    const events = emit([message]).map(event => placed(event, number, parts));
    return isOpen(state, number) ? events.filter(({ type }) => type !== "message-end") : events;
  });
}

/** Events behind those that were missed, without the messages that they begin anew: those come again whole. */
export function behind(missed: readonly Event[], events: readonly Event[]): readonly Event[] {
  if (missed.length === 0) return events;
  const begun = new Set(events.flatMap(event => (event.type === "message-start" ? [event.message] : [])));
  return [...missed.filter(event => !("message" in event && begun.has(event.message))), ...events];
}

/** Results under way have the numbers of their calls. */
function placed(event: Event, message: number, parts: readonly number[] | undefined): Event {
  if (!("message" in event)) return event;
  if (!parts || !("part" in event)) return { ...event, message };
  return { ...event, message, part: parts[event.part] ?? event.part };
}

function isOpen({ answer, results }: RunState, number: number): boolean {
  if (results?.message === number) return true;
  return answer !== undefined && number >= answer.message && number < answer.message + answer.count;
}

/** The messages of a run that nobody goes on with: what came of it stands, and every call has a result. */
export function givenUp(snapshot: RunSnapshot, now: string): readonly Message[] {
  const { state, messages } = snapshot;
  const transcript = accumulator();
  messages.forEach((message, number) => {
    const parts = state.results?.message === number ? state.results.parts : undefined;
    for (const event of emit([message])) transcript.push(placed(event, number, parts));
  });
  const answer = state.answer ? messages.slice(state.answer.message, state.answer.message + state.answer.count) : [];
  transcript.pushAll(step(state, { type: "abort", answer }, now).events);
  return messagesOf({ ...snapshot, messages: transcript.end() });
}
