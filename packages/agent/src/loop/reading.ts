import { type Conversation, context, type Loss, type Message, type Settings, type Tool } from "translogue";
import type { AgentTool } from "../tools/tool.ts";
import { fitting } from "./compaction.ts";
import type { RunTask } from "./drive.ts";
import { readable } from "./readable.ts";
import type { RunState } from "./state.ts";

/** What a model reads in one call. */
export interface Reading {
  readonly conversation: Conversation;
  /** Where each of its messages stands in the session: undefined for the instructions. */
  readonly places: readonly (number | undefined)[];
  /** All messages of the session. */
  readonly all: readonly Message[];
}

interface Given {
  readonly all: readonly Message[];
  readonly tools: ReadonlyMap<string, AgentTool> | undefined;
  /** The provider has all of them: it goes on with its answer. */
  readonly isKnown: boolean;
}

export async function reading(task: RunTask, state: RunState, { all, tools, isKnown }: Given): Promise<Reading> {
  const { instructions, model, session, hostedTools, compaction, view } = task;
  const offered = [...hostedTools, ...[...(tools?.values() ?? [])].map(declaration)];
  const indexes = new Map(all.map((message, index) => [message, index]));
  const seen = context({ messages: all }).messages;
  const whole = readable(view ? view(seen) : seen).filter(
    ({ source }) => !isKnown && !isServed(state, source, indexes.get(source)),
  );
  const read = await fitting(whole, { compaction, model: model.id, refused: state.compacted });
  const system: Message[] = instructions
    ? [{ role: "system", parts: [{ type: "text", text: instructions }], synthetic: "instructions" }]
    : [];
  return {
    all,
    conversation: {
      id: session.id,
      messages: [...system, ...read.map(({ message }) => message)],
      ...(offered.length > 0 && { tools: offered }),
      model: model.id,
      settings: settingsOf(task, state, tools !== undefined || hostedTools.length > 0),
    },
    places: [...system.map(() => undefined), ...read.map(({ source }) => (source ? indexes.get(source) : undefined))],
  };
}

/** What the provider has already, and what it said itself: calls that were let through, in their new place. */
function isServed({ served }: RunState, { role, run }: Message, index = Number.POSITIVE_INFINITY): boolean {
  return served !== undefined && (index < served.known || (role === "assistant" && run !== undefined));
}

/** A forced choice holds for the first step only: it would call the tool for ever. */
function settingsOf(task: RunTask, { step }: RunState, withTools: boolean): Settings {
  const { toolChoice, ...settings } = task.settings;
  const isForced = toolChoice !== undefined && toolChoice !== "auto" && toolChoice !== "none";
  const holds = toolChoice !== undefined && withTools && (!isForced || step <= 1);
  return holds ? { ...settings, toolChoice } : settings;
}

const declaration = ({ name, description, input }: AgentTool): Tool => ({
  name,
  ...(description !== undefined && { description }),
  input,
});

/** Its path, from the model's conversation into the session's messages. */
export function homed(loss: Loss, places: Reading["places"]): Loss {
  const [root, index, ...rest] = loss.path;
  if (root !== "messages" || typeof index !== "number") return loss;
  const place = places[index];
  return { ...loss, path: place === undefined ? ["instructions", ...rest] : ["messages", place, ...rest] };
}
