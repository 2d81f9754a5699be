import { type Conversation, context, type Message, type Path, type Settings, type Tool } from "translogue";
import { checkedMessages } from "../hooks.ts";
import { type Compaction, unreadBy } from "../models/compactions.ts";
import type { AgentTool } from "../tools/tool.ts";
import { fitting } from "./compaction.ts";
import type { Mended } from "./paired.ts";
import { readable } from "./readable.ts";
import { asTheyAre, beginsWith, type ReadHistory, readPieces, SettledHistory } from "./settled-history.ts";
import type { RunState, ServedConversation } from "./state.ts";
import type { RunTask } from "./task.ts";

/** What a model reads in one call. */
export interface Reading {
  readonly conversation: Conversation;
  /** Where each of its messages stands in the session: undefined for the instructions. */
  readonly placeOf: (index: number) => number | undefined;
  /** All messages of the session. */
  readonly all: readonly Message[];
  /** What of the history no provider would have taken; paths lead into the session. */
  readonly mended: readonly Mended[];
  /** Compactions that say nothing to the model. */
  readonly unread: ReadonlySet<Compaction>;
}

interface Given {
  readonly all: readonly Message[];
  readonly tools: ReadonlyMap<string, AgentTool> | undefined;
  readonly served: ServedConversation | undefined;
  /** The provider has all of them: it goes on with its answer. */
  readonly isKnown: boolean;
}

/** Reads a session for the model calls of one run, each time what is new in it. */
export class SessionReader {
  /** With their ids: a tree is read as copies. */
  readonly #given: ReadonlySet<Message | string>;
  readonly #settled: SettledHistory;
  /** All of it is a plain list that every model reads. */
  #plain: readonly Message[] = [];

  /** `input`: that of the run. */
  constructor(input: readonly Message[]) {
    this.#given = new Set([...input, ...input.flatMap(({ id }) => (id === undefined ? [] : [id]))]);
    this.#settled = new SettledHistory(this.#isGiven);
  }

  async read(task: RunTask, state: RunState, { all, tools, served, isKnown }: Given): Promise<Reading> {
    const { instructions, model, session, hostedTools, view } = task;
    const offered = [...hostedTools, ...[...(tools?.values() ?? [])].map(declaration)];
    const { seen: inContext, unread } = await this.#context(all, model);
    const seen = view ? checkedMessages(view(inContext), "`view`", { code: "options/invalid" }) : inContext;
    const system: Message[] = instructions
      ? [{ role: "system", parts: [{ type: "text", text: instructions }], synthetic: "instructions" }]
      : [];
    const at = indexOf(all);
    const isNew = (message: Message): boolean => !isKnown && !isServed(served, message, served && at(message));
    const { messages, sourceAt, changes } = await this.#history(task, state, {
      ...{ seen, served, fixed: { system, tools: offered } },
      ...((served || isKnown) && { isNew }),
    });
    return {
      all,
      unread,
      conversation: {
        id: session.id,
        messages: system.length > 0 ? [...system, ...messages] : messages,
        ...(offered.length > 0 && { tools: offered }),
        model: model.id,
        settings: settingsOf(task, state, tools !== undefined || hostedTools.length > 0),
      },
      placeOf: placesOf(messages, sourceAt, { at, first: system.length }),
      mended: changes.map(({ path, source, ...change }) => ({
        ...change,
        path: inPlace(path, () => source && at(source)),
      })),
    };
  }

  readonly #isGiven = (message: Message): boolean =>
    this.#given.has(message) || (message.id !== undefined && this.#given.has(message.id));

  /** What this model reads of the session, whoever else speaks there; what was a plain list is not looked through again. */
  async #context(
    all: readonly Message[],
    model: RunTask["model"],
  ): Promise<{ readonly seen: readonly Message[]; readonly unread: Reading["unread"] }> {
    const fresh = beginsWith(all, this.#plain) ? all.slice(this.#plain.length) : all;
    if (isPlain(fresh)) {
      this.#plain = all;
      return { seen: all, unread: new Set() };
    }
    const unread = await unreadBy(model, all);
    return { seen: context({ messages: all }, part => !unread.has(part)).messages, unread };
  }

  async #history(
    { compaction, model }: RunTask,
    { compacted: refused }: RunState,
    { seen, served, fixed, isNew }: History,
  ): Promise<ReadHistory> {
    if (!compaction && !isNew) return this.#settled.read(seen);
    const pieces = isNew ? readable(seen).filter(({ source }) => isNew(source)) : readable(seen);
    const fit = await fitting(pieces, { compaction, model: model.id, refused, fixed });
    // What the provider has already may hold the calls of results that come now.
    if (served) return asTheyAre(fit);
    return fit === pieces && !isNew ? this.#settled.read(seen) : readPieces(fit, this.#isGiven);
  }
}

function isPlain(messages: readonly Message[]): boolean {
  const conversation = { messages };
  return !hasCompaction(messages) && context(conversation) === conversation;
}

const hasCompaction = (messages: readonly Message[]): boolean =>
  messages.some(({ parts }) => parts.some(({ type }) => type === "compaction"));

interface History {
  readonly seen: readonly Message[];
  readonly served: ServedConversation | undefined;
  readonly fixed: { readonly system: readonly Message[]; readonly tools: readonly Tool[] };
  /** Absent: nothing is at its provider already. */
  readonly isNew?: (message: Message) => boolean;
}

type IndexOf = (message: Message) => number | undefined;

/** Looked for where somebody asks: most calls have nothing to tell. Those of a tree are read as copies, which their ids tell. */
function indexOf(all: readonly Message[]): IndexOf {
  let indexes: Map<Message | string, number> | undefined;
  return message => {
    if (!indexes) {
      indexes = new Map();
      for (const [index, each] of all.entries()) indexes.set(each, index).set(each.id ?? "", index);
    }
    return indexes.get(message) ?? (message.id === undefined ? undefined : indexes.get(message.id));
  };
}

/** A message that was made counts where it was added. */
function placesOf(
  { length }: ReadHistory["messages"],
  sourceAt: ReadHistory["sourceAt"],
  { at, first }: { readonly at: IndexOf; readonly first: number },
): Reading["placeOf"] {
  let places: (number | undefined)[] | undefined;
  return index => {
    if (!places) {
      places = [];
      for (let place = 0; place < length; place++) {
        const source = sourceAt(place);
        places.push(source ? at(source) : places[place - 1]);
      }
    }
    return places[index - first];
  };
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
export const homed = <Found extends { readonly path: Path }>(
  found: Found,
  { placeOf }: Pick<Reading, "placeOf">,
): Found => ({
  ...found,
  path: inPlace(found.path, placeOf),
});

function inPlace(path: Path, home: (place: number) => number | undefined): Path {
  const [root, index, ...rest] = path;
  if (root !== "messages" || typeof index !== "number") return path;
  const place = home(index);
  return place === undefined ? ["instructions", ...rest] : ["messages", place, ...rest];
}
