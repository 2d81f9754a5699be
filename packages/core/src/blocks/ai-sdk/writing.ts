/** Messages → messages of the AI SDK: the messages of a run are joined, results go where their call is (R18). */

import type { EncodeContext } from "../../codec/codec.ts";
import { fill } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { encodeData, encodeFile, encodeOpaque } from "./files.ts";
import { type Group, groupsOf, isDataMessage } from "./groups.ts";
import { Layout } from "./layout.ts";
import type { Usage } from "./messages.ts";
import { family, isMadeId, type LosePart, type PartWriting } from "./part.ts";
import { citedSources, encodeSource } from "./sources.ts";
import { encodeReasoning, encodeText } from "./texts.ts";
import { encodeApproval, encodeTool, hasApprovals, type ToolWriting } from "./tool-writing.ts";
import { type Entry, isHere, isSamePlace, type LooseApproval, type Place, type PlacedUse, Uses } from "./uses.ts";

export interface MessageWriting extends Usage {
  readonly context: EncodeContext;
  /** Writes a part in a form that the SDK does not have. */
  readonly ownPart?: (part: Part) => JsonObject | undefined;
  /** Writes a message in a form that the SDK does not have. */
  readonly ownMessage?: (message: Message) => JsonObject | undefined;
}

/** The messages from `from` on, as a list of the SDK's. */
export function encodeMessages(messages: readonly Message[], writing: MessageWriting, from = 0): Json[] {
  return new Writer(messages, writing).write(from);
}

class Writer {
  readonly #messages: readonly Message[];
  readonly #writing: MessageWriting;
  readonly #uses: Uses;
  readonly #layout: Layout;
  /** Of the message that is written. */
  #role = "";
  /** How many ids were made in the run that is written. */
  #made = 0;

  constructor(messages: readonly Message[], writing: MessageWriting) {
    this.#messages = messages;
    this.#writing = writing;
    this.#uses = new Uses(messages);
    this.#layout = new Layout(messages, this.#uses, writing);
  }

  write(from: number): Json[] {
    const groups = groupsOf(this.#messages, from, { ...this.#writing, isSilent: index => this.#isSilent(index) });
    const wires = groups.map(group => this.#group(group));
    groups.forEach((group, index) => {
      this.#layout.check(group, wires[index] ?? null);
    });
    return wires;
  }

  /** Whether a message says nothing that is written where it stands. */
  #isSilent(index: number): boolean {
    const parts = this.#messages[index]?.parts ?? [];
    return parts.every((_, part) => this.#isElsewhere({ message: index, part }));
  }

  #isElsewhere(at: Place): boolean {
    const entry = this.#uses.entryAt(at);
    return entry !== undefined && !isHere(entry, at, this.#writing.generation);
  }

  #group(group: Group): Json {
    const { messages, writing } = { messages: this.#messages, writing: this.#writing };
    const [first = 0] = group.members;
    const head = messages[group.head ?? first];
    const raw = group.kind === "raw" ? head?.parts[0] : undefined;
    if (!group.continues) this.#made = 0;
    const own = raw?.type === "opaque" ? raw.value : head && writing.ownMessage?.(head);
    const wire = own ?? this.#message(group, head);
    const isObject = typeof wire === "object" && wire !== null;
    if (isObject) writing.context.wrote([wire], first, group.members.length);
    return wire;
  }

  #message(group: Group, head: Message | undefined): JsonObject {
    const { lose } = this.#writing.context;
    this.#role = group.kind === "run" || (head && isDataMessage(head)) ? "assistant" : wireRole(head?.role);
    const parts = group.members.flatMap(index => this.#member(index, group));
    const isEmptied = head?.native?.[family]?.["$parts"] !== "none";
    if (parts.length === 0 && this.#role !== "assistant" && isEmptied) {
      // The SDK refuses an empty message of any other role.
      lose("empty-message", ["messages", group.head ?? group.members[0] ?? 0, "parts"]);
      parts.push({ type: "text", text: "" });
    }
    if (head && group.kind === "single" && head.role !== this.#role)
      lose("role", ["messages", group.head ?? 0, "role"], head.role);
    const own = head?.native?.[family] ?? {};
    const metadata = head?.metadata === undefined ? {} : { metadata: head.metadata };
    return fill({ ...writeId(group, head), role: this.#role, ...metadata, parts }, own);
  }

  /** What one message of the group adds to its parts. */
  #member(index: number, group: Group): Json[] {
    const message = this.#messages[index];
    if (!message || (message.role === "control" && !isDataMessage(message))) return [];
    const isSteering = message.role === "user" && group.kind === "run";
    if (isSteering && !(message.parts.length > 0 && this.#isSilent(index))) {
      return [steeringMessage(message, index, this.#writing)];
    }
    const mark = message.role === "assistant" && group.kind === "run" ? this.#mark(message, index === group.head) : [];
    return [...mark, ...message.parts.flatMap((part, place) => this.#part(part, { message: index, part: place }))];
  }

  #mark(message: Message, isFirst: boolean): Json[] {
    const { $stepStart: hint, $$step: members } = message.native?.[family] ?? {};
    const isUsual = this.#writing.steps === "joined" || !isFirst;
    const isMarked = typeof hint === "boolean" ? hint : isUsual;
    return isMarked ? [{ type: "step-start", ...(members as JsonObject | undefined) }] : []; // our own hint
  }

  #part(part: Part, at: Place): Json[] {
    const entry = this.#uses.entryAt(at);
    if (entry) return this.#entry(entry, at);
    const path = ["messages", at.message, "parts", at.part];
    const { generation, context } = this.#writing;
    if (this.#messages[at.message]?.role === "tool") context.lose("misplaced", path, part.type);
    const own = this.#writing.ownPart?.(part);
    if (own) return [own];
    const writing: PartWriting = {
      generation,
      role: this.#role,
      madeId: () => `~${this.#made++}`,
      lose: this.#loser(at),
    };
    const cited = part.type === "text" && generation < 7 ? citedSources(part) : [];
    return [part, ...cited].map(each => encodePart(each, writing)).filter(wire => wire !== undefined);
  }

  #entry(entry: Entry, at: Place): Json[] {
    if ("replaced" in entry) {
      this.#loser(at)(entry.replaced);
      return [];
    }
    if (!isHere(entry, at, this.#writing.generation)) return [];
    if ("loose" in entry) return [this.#approval(entry.loose)];
    const { use } = entry;
    return isSamePlace(use.call.at, at) ? this.#tool(use) : [this.#approval(use)];
  }

  #approval({ request, response }: LooseApproval): Json {
    return encodeApproval(
      { request: request?.part, response: response?.part },
      response ? this.#loser(response.at) : () => undefined,
    );
  }

  /** A tool part; a question that has no place in it follows as data, unless it stands elsewhere by itself. */
  #tool(use: PlacedUse): Json[] {
    const { call, request, response, result, isMade } = use;
    const none: LosePart = () => undefined;
    const lose: ToolWriting["lose"] = {
      call: isMade ? none : this.#loser(call.at),
      request: request ? this.#loser(request.at) : none,
      response: response ? this.#loser(response.at) : none,
      result: result ? this.#loser(result.at) : none,
    };
    if (isMade && request?.part.call) lose.request("held-call", "call");
    else if (isMade) lose.result("made-call");
    else if (request?.part.call) lose.request("held-call", "call");
    if (result?.part.name !== undefined) lose.result("result-name", "name");
    const { generation, dynamic } = this.#writing;
    const wire = encodeTool(
      {
        call: call.part,
        ...(request && { request: request.part }),
        ...(response && { response: response.part }),
        ...(result && { result: result.part }),
      },
      { generation, dynamic, role: this.#role, lose },
    );
    const isInside = hasApprovals(call.part, generation);
    const standsApart = request !== undefined && !isSamePlace(request.at, call.at);
    if (isInside || standsApart || (!request && !response)) return [wire];
    return [wire, this.#approval(use)];
  }

  #loser({ message, part }: Place): LosePart {
    return (code, member, detail) => {
      const path = ["messages", message, "parts", part, ...(member === undefined ? [] : [member])];
      this.#writing.context.lose(code, path, detail);
    };
  }
}

const wireRole = (role: string | undefined): string =>
  role === "system" || role === "developer" ? "system" : role === "assistant" ? "assistant" : "user";

/** The id of a message: its own; for a run without one the one that keeps it apart; else one that is read as none. */
function writeId({ members, head: index }: Group, head: Message | undefined): { id?: Json } {
  if (head?.id !== undefined) return { id: head.id };
  const { $id: hint } = head?.native?.[family] ?? {};
  if (hint === "none") return {};
  if (hint !== undefined) return { id: hint };
  return { id: head?.run !== undefined && isMadeId(head.run) ? head.run : `~${index ?? members[0] ?? 0}` };
}

/** What a user said while the run went on, as a part of it. */
export function steeringMessage(
  message: Message,
  index: number,
  { generation, context }: Pick<MessageWriting, "generation" | "context">,
): JsonObject {
  const parts = message.parts.flatMap((part, place) => {
    const path = ["messages", index, "parts", place];
    const lose: LosePart = (code, member, detail) =>
      context.lose(code, member === undefined ? path : [...path, member], detail);
    const writing = { generation, role: "user", madeId: () => "~", lose };
    if (part.type === "text") return [encodeText(part, writing)];
    if (part.type === "file" && !part.reasoning) return [encodeFile(part, writing)];
    lose("steering-part", undefined, part.type);
    return [];
  });
  const own = message.native?.[family] ?? {};
  const id = message.id ?? (own["$id"] === "" ? "" : `~${index}`);
  return fill({ type: "steering-message", id, parts }, own);
}

/** Undefined for parts that a message of the SDK's does not have; `holds` says which, and they never come here. */
export function encodePart(part: Part, writing: PartWriting): Json | undefined {
  switch (part.type) {
    case "text":
      return encodeText(part, writing);
    case "reasoning":
      return encodeReasoning(part, writing);
    case "refusal":
      writing.lose("refusal");
      return encodeText({ ...part, type: "text" }, writing);
    case "file":
      return encodeFile(part, writing);
    case "source":
      return encodeSource(part, writing);
    case "data":
      return encodeData(part, writing);
    case "opaque":
      return encodeOpaque(part, writing);
    default:
      return undefined;
  }
}
