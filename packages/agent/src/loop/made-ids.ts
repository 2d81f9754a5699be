import type { Event, Part } from "translogue";
import type { RunState } from "./state.ts";

/**
 * Events of a step's answer, with ids that are names in the whole session: a codec makes those of calls that came without one
 * (R8), and knows no more than the answer.
 */
export const withMadeIds = (events: readonly Event[], { run, step }: RunState): readonly Event[] =>
  events.some(isMade)
    ? events.map(event => (isMade(event) ? { ...event, value: named(event.value, `${run}.${step}`) } : event))
    : events;

type OfPart = Extract<Event, { readonly type: "part" | "part-start" }>;

const isMade = (event: Event): event is OfPart =>
  (event.type === "part" || event.type === "part-start") && "callId" in event.value && isMadeId(event.value.callId);

const isMadeId = (id: string | undefined): id is string => id?.startsWith("~") === true;

function named<P extends Part>(part: P, answer: string): P {
  const { callId, call } = part as { readonly callId?: string; readonly call?: Part }; // a part with an id
  return {
    ...part,
    ...(isMadeId(callId) && { callId: `~${answer}.${callId.slice(1)}` }),
    ...(call && { call: named(call, answer) }),
  };
}
