import { context, type Event, type Message } from "translogue";
import { failure } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { unreadBy } from "../models/compactions.ts";
import type { Reading } from "./reading.ts";

/** What was read for the model of a step, and the same for another that is asked in its place. */
export interface ReadFor {
  readonly reading: Reading;
  readonly again: () => Promise<Reading>;
}

/**
 * The answer of a model that a middleware asks in place of the step's own. Where that one reads a compaction which this one
 * cannot, it is given what the compaction hides. Throws `agent/invalid` where the middleware has rewritten the history for it.
 */
export async function* askedInstead(
  model: Model,
  request: ModelRequest,
  { reading, again }: ReadFor,
  ask: (request: ModelRequest) => AsyncIterable<readonly Event[]>,
): AsyncGenerator<readonly Event[], void, undefined> {
  if (!(await lacks(model, reading))) return yield* ask(request);
  if (request.conversation.messages !== reading.conversation.messages) {
    const what = `a compaction of the history says nothing to \`${model.provider}\`, and a middleware has rewritten what comes behind it`;
    throw failure("agent/invalid", `${what}: choose the model by \`modelFor\`, not by a middleware`);
  }
  const { messages } = (await again()).conversation;
  yield* ask({ ...request, conversation: { ...request.conversation, messages } });
}

/** Whether the model would read messages that were hidden from it. */
async function lacks(model: Model, { all, unread }: Reading): Promise<boolean> {
  const others = await unreadBy(model, all);
  if ([...others].every(part => unread.has(part))) return false;
  const seen = (by: Reading["unread"]): readonly Message[] =>
    context({ messages: all }, part => !by.has(part)).messages;
  const known = new Set(seen(unread));
  return !seen(others).every(message => known.has(message));
}
