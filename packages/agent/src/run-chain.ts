import type { Event } from "translogue";
import type { AgentResponseUpdate } from "./response.ts";
import { plusUsage } from "./spending.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;

/**
 * Runs one after another as one: their messages are numbered on, their usage adds up, and only the last says how it ended.
 * `next` is asked with the last update of each.
 */
export async function* joined(
  first: Updates,
  next: (ended: AgentResponseUpdate) => Updates | undefined | Promise<Updates | undefined>,
): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  let before = 0;
  let usage: AgentResponseUpdate["usage"];
  for (let run: Updates | undefined = first; run; ) {
    let messages = before;
    let ended: AgentResponseUpdate | undefined;
    for await (const update of run) {
      const events = before === 0 ? update.events : update.events.map(event => behind(event, before));
      for (const event of events) if ("message" in event) messages = Math.max(messages, event.message + 1);
      if (update.isFinal) ended = { ...update, events };
      else yield before === 0 ? update : { ...update, events };
    }
    if (!ended) return;
    usage = plusUsage(usage, ended.usage);
    run = await next(ended);
    if (run) yield withoutEnd(ended);
    else yield { ...ended, ...(usage && { usage }) };
    before = messages;
  }
}

const behind = (event: Event, messages: number): Event =>
  "message" in event ? { ...event, message: event.message + messages } : event;

function withoutEnd(update: AgentResponseUpdate): AgentResponseUpdate {
  const { finish: _, usage: __, usageTree: ___, error: ____, metadata: _____, ...told } = update;
  return { ...told, isFinal: false };
}
