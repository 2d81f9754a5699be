import type { Conversation, Message, Tool } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import { type MutableJsonObject, setMember } from "../model/json.ts";
import type { Citation, Node, Part } from "../model/parts.ts";
import type { Holds, PartHolds } from "./codec.ts";
import { saidIn } from "./hints.ts";
import { refine, refineInside } from "./provenance.ts";

/** Asked so inside of `for … in`, whether a member is an own one costs nothing, and no list of the names is made. */
const { hasOwnProperty: isOwn } = Object.prototype;

/** Reports a member that was taken out, or a whole part: `code` is `type.member` or `type`. */
export type Report = (code: string, path: Path, message: string) => void;

/** Takes out of a conversation what a format does not hold, and reports each piece. What needs nothing keeps its identity. */
export class Narrower {
  readonly #tables: Tables;
  readonly #report: Report;
  readonly #words = new Map<string, Map<string, Words>>();

  constructor(holds: Holds, report: Report) {
    this.#tables = tablesOf(holds);
    this.#report = report;
  }

  /** A citation as the format holds it; undefined where its texts have none. */
  streamedCitation(citation: Citation, path: Path): Citation | undefined {
    const text = this.tables.parts.get("text");
    if (typeof text === "object" && text.has("citations")) return this.citation(citation, path);
    this.#report("text.citations", path, leftOut("text", "citations"));
    return undefined;
  }

  conversation(conversation: Conversation): Conversation {
    const { tables } = this;
    const narrowed = this.#members(conversation, tables.conversation, { type: "conversation", path: [] });
    const messages = refine(narrowed.messages, (message, index) =>
      this.#holdsMessage(message) ? message : this.message(message, ["messages", index]),
    );
    const tools = narrowed.tools && refine(narrowed.tools, (tool, index) => this.tool(tool, ["tools", index]));
    const settings =
      narrowed.settings && this.#members(narrowed.settings, tables.settings, { type: "settings", path: ["settings"] });
    return replace(narrowed, {
      messages,
      ...(tools && { tools }),
      ...(settings && { settings }),
    });
  }

  tool(tool: Tool, path: Path): Tool {
    return this.#members(tool, this.tables.tool, { type: "tool", path });
  }

  /** Members of a message, its parts and its usage. */
  message(message: Message, path: Path): Message {
    const head = this.head(message, path);
    if (this.#holdAll(head.parts, this.tables.parts)) return head;
    return replace(head, { parts: this.#parts(head.parts, this.tables.parts, [...path, "parts"]) });
  }

  /** Members of a message beside its parts. */
  head<Head extends Partial<Omit<Message, "parts">>>(head: Head, path: Path): Head {
    const narrowed = this.#members(head, this.tables.message, { type: "message", path });
    if (!narrowed.usage) return narrowed;
    const where = { type: "usage", path: [...path, "usage"] };
    return replace(narrowed, { usage: this.#members(narrowed.usage, this.tables.usage, where) } as Partial<Head>); // usage is a member of Head here
  }

  /** The part as the format holds it, or undefined where it has no place for it. */
  part(part: Part, path: Path, within: PartTables = this.tables.parts): Part | undefined {
    const held = within.get(part.type);
    if (held === undefined || typeof held === "string") {
      this.#report(part.type, path, `${part.type} part: ${held ?? "the format does not know this part"}`);
      return undefined;
    }
    if (part.type === "opaque" && !this.tables.families.has(part.family)) {
      this.#report(part.type, path, `a piece of ${part.family} is written back to its own family only`);
      return undefined;
    }
    return this.#nested(this.#members(part, held, { type: part.type, path }), path);
  }

  /** Members of a part that become known later, in a stream. */
  partMembers<Members extends object>(type: Part["type"], members: Members, path: Path): Members {
    const held = this.tables.parts.get(type);
    if (typeof held !== "object") return members;
    const own = this.#members(members, held, { type, path });
    const known = { ...own, type } as unknown as Part; // lacks what it had at its start
    const narrowed = this.#nested(known, path);
    if (narrowed === known) return own;
    const { type: _, ...set } = narrowed;
    return set as unknown as Members; // its members, or fewer
  }

  citation(citation: Citation, path: Path): Citation {
    return this.#members(citation, this.tables.citation, { type: "citation", path });
  }

  get tables(): Tables {
    return this.#tables;
  }

  #parts(parts: readonly Part[], within: PartTables, path: Path): readonly Part[] {
    return refine(parts, (part, index) => this.part(part, [...path, index], within));
  }

  #nested(part: Part, path: Path): Part {
    return refineInside(part, path, {
      part: (inner, at, member) => this.part(inner, at, material.has(member) ? this.tables.output : this.tables.parts),
      citation: (citation, at) => this.citation(citation, at),
      tool: tool => tool, // what a format defines in mid-conversation it reports itself
    });
  }

  #holdsMessage(message: Message): boolean {
    const { tables } = this;
    return (
      message.usage === undefined &&
      this.#holdsMembers(message, tables.message) &&
      this.#holdAll(message.parts, tables.parts)
    );
  }

  /** Whether the format holds the parts with all that is in them: then nothing has to be copied, and no path be known. */
  #holdAll(parts: readonly Part[], within: PartTables): boolean {
    for (const part of parts) if (!this.#holds(part, within)) return false;
    return true;
  }

  #holds(part: Part, within: PartTables): boolean {
    const held = within.get(part.type);
    if (typeof held !== "object" || !this.#holdsMembers(part, held)) return false;
    switch (part.type) {
      case "text":
        return part.citations === undefined;
      case "tool-result":
        return part.display === undefined && (!part.output || this.#holdAll(part.output, this.tables.output));
      case "file":
        return !("parts" in part.source);
      case "reasoning":
      case "refusal":
      case "tool-call":
      case "data":
        return true;
      default:
        return false; // the rare ones are looked at member by member
    }
  }

  #holdsMembers(node: Node, held: ReadonlySet<string>): boolean {
    for (const key in node) {
      if (!isOwn.call(node, key)) continue;
      if (key === "native" ? !this.#holdsFamilies(node.native) : !held.has(key)) return false;
    }
    return true;
  }

  #holdsFamilies(families: Node["native"]): boolean {
    for (const family of Object.keys(families ?? {})) if (!this.tables.families.has(family)) return false;
    return true;
  }

  #members<T extends object>(node: T, held: ReadonlySet<string>, where: { type: string; path: Path }): T {
    if (this.#holdsMembers(node, held)) return node;
    // Made anew, since an object that a member was deleted of is a slow one from there on.
    const kept: Partial<T> = {};
    for (const key in node) {
      if (!isOwn.call(node, key)) continue;
      const value = node[key];
      if (key === "native") {
        const families = this.#native((node as Node).native, where); // `native` is Node's wherever it stands
        if (families) Object.assign(kept, { native: families });
      } else if (held.has(key)) kept[key] = value;
      else if (value !== undefined) {
        this.#leaveOut(where, key);
      }
    }
    return kept as T; // only optional members are ever taken out: `held` has the required ones
  }

  /** The words are made once a conversion: a long history may lack the same place for every message. */
  #leaveOut({ type, path }: { type: string; path: Path }, key: string): void {
    const words = this.#words.get(type) ?? new Map<string, Words>();
    this.#words.set(type, words);
    const word = words.get(key) ?? { code: `${type}.${key}`, message: leftOut(type, key) };
    words.set(key, word);
    this.#report(word.code, [...path, key], word.message);
  }

  /** Other families' members are theirs alone (R2); hints of spelling and nulls are no content. */
  #native(families: Node["native"], where: { type: string; path: Path }): Node["native"] {
    const kept: MutableJsonObject = {};
    for (const family of Object.keys(families ?? {})) {
      if (this.tables.families.has(family)) {
        setMember(kept, family, families?.[family] ?? null);
        continue;
      }
      for (const { name, steps } of saidIn(families?.[family] ?? {})) {
        const path = [...where.path, "native", family, ...steps];
        this.#report(`${where.type}.native`, path, `\`${name}\` of ${family} has no place here`);
      }
    }
    return Object.keys(kept).length > 0 ? (kept as Families) : undefined; // of families only
  }
}

interface Words {
  readonly code: string;
  readonly message: string;
}

/** Members that hold what a model reads to work with: parts as in a tool's output, and not as a side says them. */
const material: ReadonlySet<string> = new Set(["output", "source", "parts"]);

type Families = NonNullable<Node["native"]>;
type PartTables = ReadonlyMap<string, ReadonlySet<string> | string>;

interface Tables {
  readonly conversation: ReadonlySet<string>;
  readonly message: ReadonlySet<string>;
  readonly parts: PartTables;
  readonly output: PartTables;
  readonly citation: ReadonlySet<string>;
  readonly tool: ReadonlySet<string>;
  readonly settings: ReadonlySet<string>;
  readonly usage: ReadonlySet<string>;
  readonly families: ReadonlySet<string>;
}

const cache = new WeakMap<Holds, Tables>();

function tablesOf(holds: Holds): Tables {
  const known = cache.get(holds);
  if (known) return known;
  const parts = partTables(holds.parts);
  const tables: Tables = {
    conversation: new Set([...holds.conversation, "messages", "exact"]),
    message: new Set([...holds.message, "role", "parts", "exact"]),
    parts,
    output: holds.output ? partTables(holds.output) : parts,
    citation: new Set([...holds.citation, "exact"]),
    tool: new Set([...holds.tool, "name", "exact"]),
    settings: new Set<string>(holds.settings),
    usage: new Set<string>(holds.usage),
    families: new Set(holds.families),
  };
  cache.set(holds, tables);
  return tables;
}

const partTables = (parts: PartHolds): PartTables =>
  new Map(
    Object.entries(parts).map(([type, held]) => [
      type,
      "unsupported" in held ? held.unsupported : new Set<string>([...held, "type", "exact"]),
    ]),
  );

const leftOut = (type: string, member: string): string => `\`${member}\` of a ${type} has no place here`;

/** The object with these members; itself where they are its own already. */
function replace<T extends object>(object: T, members: Partial<T>): T {
  for (const key of Object.keys(members) as (keyof T)[]) {
    if (members[key] !== object[key]) return { ...object, ...members };
  }
  return object;
}
