import { accumulator, type Event } from "translogue";

/** The first event that fits nowhere, or goes on with a part that has ended, as a sentence. */
export function ungrammatical(events: readonly Event[]): string | undefined {
  const machine = accumulator();
  machine.pushAll(events);
  const [issue] = machine.issues;
  if (issue) return `event ${issue.path.join(".")}: ${issue.message}`;
  const ended = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.type === "message-start") {
      for (const place of ended) if (place.startsWith(`${event.message}.`)) ended.delete(place); // a new attempt (E9)
    }
    if (!("part" in event)) continue;
    const place = `${event.message}.${event.part}`;
    if (event.type === "part-start" || event.type === "part") ended.delete(place);
    if (event.type === "part-end") ended.add(place);
    // What else is known of a part may come later (E3).
    if (event.type === "part-delta" && ended.has(place))
      return `event ${index} goes on with part ${place}, which has ended`;
  }
  return undefined;
}
