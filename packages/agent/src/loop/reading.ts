import { type Conversation, context, type Message, type Path, type Settings, type Tool } from "translogue";
import { checkedMessages } from "../hooks.ts";
import type { AgentTool } from "../tools/tool.ts";
import { fitting } from "./compaction.ts";
import { type Mended, type Piece, paired } from "./paired.ts";
import { readable } from "./readable.ts";
import type { RunState, ServedConversation } from "./state.ts";
import type { RunTask } from "./task.ts";

/** What a model reads in one call. */
export interface Reading {
  readonly conversation: Conversation;
  /** Where each of its messages stands in the session: undefined for the instructions. */
  readonly places: readonly (number | undefined)[];
  /** All messages of the session. */
  readonly all: readonly Message[];
  /** What of the history no provider would have taken; paths lead into the session. */
  readonly mended: readonly Mended[];
}

interface Given {
  readonly all: readonly Message[];
  readonly tools: ReadonlyMap<string, AgentTool> | undefined;
  readonly served: ServedConversation | undefined;
  /** The provider has all of them: it goes on with its answer. */
  readonly isKnown: boolean;
}

export async function reading(
  task: RunTask,
  state: RunState,
  { all, tools, served, isKnown }: Given,
): Promise<Reading> {
  const { instructions, model, session, hostedTools, compaction, view } = task;
  const offered = [...hostedTools, ...[...(tools?.values() ?? [])].map(declaration)];
  const indexes = new Map(all.map((message, index) => [message, index]));
  const seen = context({ messages: all }).messages;
  const whole = readable(view ? checkedMessages(view(seen), "`view`", { code: "options/invalid" }) : seen).filter(
    ({ source }) => !isKnown && !isServed(served, source, indexes.get(source)),
  );
  const system: Message[] = instructions
    ? [{ role: "system", parts: [{ type: "text", text: instructions }], synthetic: "instructions" }]
    : [];
  const fixed = { system, tools: offered };
  const fit = await fitting(whole, { compaction, model: model.id, refused: state.compacted, fixed });
  // What the provider has already may hold the calls of results that come now.
  const given = new Set(task.from.input);
  const { read, changes } = served ? { read: fit, changes: [] } : paired(fit, message => given.has(message));
  return {
    all,
    conversation: {
      id: session.id,
      messages: [...system, ...read.map(({ message }) => message)],
      ...(offered.length > 0 && { tools: offered }),
      model: model.id,
      settings: settingsOf(task, state, tools !== undefined || hostedTools.length > 0),
    },
    places: [...system.map(() => undefined), ...placesOf(read, indexes)],
    mended: changes.map(({ path, ...change }) => ({
      ...change,
      path: inPlace(path, place => {
        const source = fit[place]?.source;
        return source && indexes.get(source);
      }),
    })),
  };
}

/** A message that was made counts where it was added. */
function placesOf(read: readonly Piece[], indexes: ReadonlyMap<Message, number>): Reading["places"] {
  let last: number | undefined;
  return read.map(({ source }) => {
    if (source) last = indexes.get(source);
    return last;
  });
}

/** What the provider has already, and what it said itself: calls that were let through, in their new place. */
function isServed(served: Given["served"], { role, run }: Message, index = Number.POSITIVE_INFINITY): boolean {
  return served !== undefined && (index < served.known || (role === "assistant" && run !== undefined));
}

/** A forced choice holds for the first step only: it would call the tool for ever. */
function settingsOf(task: RunTask, { step }: RunState, withTools: boolean): Settings {
  const { toolChoice, ...settings } = task.settings;
  const holds = toolChoice !== undefined && withTools && (!isForced(toolChoice) || step <= 1);
  return holds ? { ...settings, toolChoice } : settings;
}

export const isForced = (choice: NonNullable<Settings["toolChoice"]>): boolean =>
  choice !== "auto" && choice !== "none";

const declaration = ({ name, description, input }: AgentTool): Tool => ({
  name,
  ...(description !== undefined && { description }),
  input,
});

/** It with its path from the model's conversation led into the session's messages. */
export const homed = <Found extends { readonly path: Path }>(found: Found, places: Reading["places"]): Found => ({
  ...found,
  path: inPlace(found.path, place => places[place]),
});

function inPlace(path: Path, home: (place: number) => number | undefined): Path {
  const [root, index, ...rest] = path;
  if (root !== "messages" || typeof index !== "number") return path;
  const place = home(index);
  return place === undefined ? ["instructions", ...rest] : ["messages", place, ...rest];
}
