import type { Conversation, Message, Tool } from "./conversation.ts";
import { TranslogueError } from "./error.ts";
import { demandConversation } from "./given.ts";
import type { Path } from "./issue.ts";
import { maxDepth } from "./json-reader.ts";
import type { Citation, Node, Part, PartOf } from "./parts.ts";

/** Called before what is inside is visited; `"skip"` = leave that out. */
export interface Visitor {
  message?(message: Message, path: Path): unknown;
  tool?(tool: Tool, path: Path): unknown;
  /** Parts inside of parts too: in outputs, displays, documents, sources, summaries, and the calls of approvals. */
  part?(part: Part, path: Path): unknown;
  citation?(citation: Citation, path: Path): unknown;
}

type Visited = {
  readonly message: Message;
  readonly tool: Tool;
  readonly part: Part;
  readonly citation: Citation;
};
type Kind = keyof Visited;

/** A node that stands in a list, or alone in a member, of another. */
export type Child = Visited[Kind];

/** The nodes in one member of a node, and the way to them. */
export interface ChildList {
  readonly kind: Kind;
  /** Strings are names of tools, no nodes. */
  readonly nodes: readonly (Child | string)[];
  readonly steps: Path;
  /** The member is the node itself, no list. */
  readonly single?: true;
}

/** Some give their messages a type as well. */
const isPart = (node: Node | Conversation | Message | Part): node is Part => "type" in node && !("role" in node);

/** Where the members of a node hold other nodes, whichever kind it is. */
function childLists(node: Node | Conversation | Message | Part): readonly ChildList[] {
  if (isPart(node)) return listsOfPart(node);
  if ("parts" in node && "role" in node) return [{ kind: "part", nodes: node.parts, steps: ["parts"] }];
  if (!("messages" in node)) return none;
  const messages: ChildList = { kind: "message", nodes: node.messages, steps: ["messages"] };
  return node.tools ? [{ kind: "tool", nodes: node.tools, steps: ["tools"] }, messages] : [messages];
}

const none: readonly ChildList[] = [];

function listsOfPart(part: Part): readonly ChildList[] {
  switch (part.type) {
    case "text":
      return part.citations ? [{ kind: "citation", nodes: part.citations, steps: ["citations"] }] : none;
    case "tool-result":
      if (part.display === undefined) return listOf(part.output, "output");
      return [...listOf(part.output, "output"), ...listOf(part.display, "display")];
    case "file":
      // In a stream the source may come later.
      return part.source && "parts" in part.source ? listOf(part.source.parts, "source", "parts") : none;
    case "source":
      return listOf(part.parts, "parts");
    case "compaction":
      return listOf(part.summary, "summary");
    case "approval-request":
    case "approval-response":
      return part.call ? [{ kind: "part", nodes: [part.call], steps: ["call"], single: true }] : none;
    case "change":
      return part.toolsAdded ? [{ kind: "tool", nodes: part.toolsAdded, steps: ["toolsAdded"] }] : none;
    default:
      return none;
  }
}

const listOf = (parts: readonly Part[] | undefined, ...steps: readonly string[]): readonly ChildList[] =>
  parts ? [{ kind: "part", nodes: parts, steps }] : none;

/** Whether all nodes right below a node are so. Makes nothing where there are none. */
export function everyChild(node: Node, is: (child: Child) => boolean): boolean {
  for (const { nodes } of childLists(node)) {
    for (const child of nodes) if (typeof child !== "string" && !is(child)) return false;
  }
  return true;
}

/** The nodes right below a node. */
export const childNodes = (node: Node): readonly Node[] =>
  childLists(node).flatMap(({ nodes }) => nodes.filter(child => typeof child !== "string"));

/** The node with each list of nodes right below it mapped, by the way to it; the node itself where all of them stay. A single one that is mapped to nothing is no member any more. */
export function mapLists<T extends Node>(node: T, map: (list: ChildList) => ChildList["nodes"]): T {
  let made: T = node;
  for (const list of childLists(node)) {
    const nodes = map(list);
    if (nodes !== list.nodes) made = put(made, list.steps, list.single ? nodes[0] : nodes);
  }
  return made;
}

function put<T extends object>(holder: T, [step = "", ...more]: Path, value: unknown): T {
  const { [step]: inner, ...others } = holder as { readonly [step: string]: object }; // a step of a list of this node
  const member = inner && more.length > 0 ? put(inner, more, value) : value;
  return (member === undefined ? others : { ...holder, [step]: member }) as T; // as it was but for that list
}

interface Place {
  readonly list: ChildList;
  readonly index: number;
  /** Of the node that holds the list; undefined for the one that was begun with. */
  readonly above: Place | undefined;
}

function pathOf(place: Place): Path {
  const steps: (string | number)[] = [];
  for (let at: Place | undefined = place; at; at = at.above) {
    if (!at.list.single) steps.push(at.index);
    for (let step = at.list.steps.length - 1; step >= 0; step--) steps.push(at.list.steps[step] as string); // step < length
  }
  return steps.reverse();
}

interface Frame {
  readonly list: ChildList;
  readonly above: Place | undefined;
  next: number;
}

/** Visits all nodes below this one in their order, at any depth. */
function traverse(root: Node, visit: (node: Node, place: Place) => unknown): void {
  const frames: Frame[] = [];
  const enter = (node: Node, above: Place | undefined): void => {
    for (const list of childLists(node).toReversed()) frames.push({ list, above, next: 0 });
  };
  enter(root, undefined);
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const { list, above } = frame;
    const place = { list, index: frame.next++, above };
    if (place.index >= list.nodes.length) frames.pop();
    const node = list.nodes[place.index];
    if (typeof node === "object" && visit(node, place) !== "skip") enter(node, place);
  }
}

/** Visits all nodes below the conversation in their order, at any depth. */
export function walk(conversation: Conversation, visitor: Visitor): void {
  demandConversation(conversation);
  walkInside(conversation, [], visitor);
}

/** The same below any node. @param above the path of that node */
export function walkInside(node: Node, above: Path, visitor: Visitor): void {
  traverse(node, (inner, place) => {
    const visit = visitor[place.list.kind] as ((node: Node, path: Path) => unknown) | undefined; // its nodes are of this kind
    return visit?.call(visitor, inner, [...above, ...pathOf(place)]);
  });
}

/** Visits the conversation and all nodes below it, of whatever kind; a message before its parts. */
export function eachNode(conversation: Conversation, visit: (node: Node) => void): void {
  visit(conversation);
  for (const tool of conversation.tools ?? []) visit(tool);
  for (const message of conversation.messages) {
    visit(message);
    for (const part of message.parts) eachNodeIn(part, visit);
  }
}

/** Most parts hold no others: those are visited without a stack. */
function eachNodeIn(part: Node, visit: (node: Node) => void): void {
  let pending: Node[] | undefined;
  for (let node: Node | undefined = part; node; node = pending?.pop()) {
    visit(node);
    for (const { nodes } of childLists(node)) {
      pending ??= [];
      for (const child of nodes) if (typeof child !== "string") pending.push(child);
    }
  }
}

/** What becomes of a part: itself, another, several, or none. */
export type PartMap = (part: Part, path: Path) => Part | readonly Part[] | undefined;
/** The same node, or another in its place. */
export type NodeMap = <T extends Node>(node: T, path: Path) => T;

/**
 * The conversation with every part mapped, inner parts first; the path is that of the part before. What does not change
 * stays the same object. Throws `model/too-deep` where parts nest deeper than 1,000 steps, `model/not-a-call` where the
 * call inside an approval becomes anything but a call or nothing.
 */
export function mapParts(conversation: Conversation, fn: PartMap): Conversation {
  demandConversation(conversation);
  return new Mapper(fn, node => node).conversation(conversation);
}

/** The same for all nodes: the conversation, messages, tools, parts and citations, inner ones first. */
export const mapNodes = (conversation: Conversation, fn: NodeMap): Conversation =>
  new Mapper((part, path) => fn(part, path), fn).conversation(conversation);

class Mapper {
  private readonly onPart: PartMap;
  private readonly onNode: NodeMap;

  constructor(onPart: PartMap, onNode: NodeMap) {
    this.onPart = onPart;
    this.onNode = onNode;
  }

  conversation(conversation: Conversation): Conversation {
    const tools = conversation.tools && mapList(conversation.tools, ["tools"], this.onNode);
    const messages = mapList(conversation.messages, ["messages"], (message: Message, path) =>
      this.message(message, path),
    );
    return this.onNode(replaced(conversation, { messages, ...(tools && { tools }) }), []);
  }

  private message(message: Message, path: Path): Message {
    const parts = this.parts(message.parts, [...path, "parts"]);
    return this.onNode(replaced(message, { parts }), path);
  }

  private parts(parts: readonly Part[], path: Path): readonly Part[] {
    return mapList(parts, path, (part: Part, at) => this.part(part, at));
  }

  private part(part: Part, path: Path): ReturnType<PartMap> {
    if (path.length <= maxDepth) return this.onPart(this.inside(part, path), path);
    throw new TranslogueError("model/too-deep", `parts nest deeper than ${maxDepth} steps: \`check\` says where`);
  }

  /** The part with all nodes inside it mapped. */
  private inside(part: Part, path: Path): Part {
    return mapLists(part, ({ kind, nodes, steps, single }) =>
      single
        ? this.call(nodes, [...path, ...steps])
        : mapList(nodes, [...path, ...steps], (node, at) => {
            if (typeof node === "string") return node;
            return kind === "part" ? this.part(node as Part, at) : this.onNode(node, at); // of that kind
          }),
    );
  }

  private call(held: ChildList["nodes"], path: Path): ChildList["nodes"] {
    return mapList(held, path, node => {
      const call = this.part(node as PartOf<"tool-call">, path); // the only single one of the model
      if (call === undefined || ("type" in call && call.type === "tool-call")) return call;
      throw new TranslogueError(
        "model/not-a-call",
        "the call inside an approval can only become another call, or nothing",
      );
    });
  }
}

/** The list with every item mapped; itself where nothing changed. */
function mapList<T>(
  list: readonly T[],
  path: Path,
  fn: (item: T, path: Path) => T | readonly T[] | undefined,
): readonly T[] {
  let changed: T[] | undefined;
  list.forEach((item, index) => {
    const mapped = fn(item, [...path, index]);
    if (mapped === item) {
      changed?.push(item);
      return;
    }
    changed ??= list.slice(0, index);
    if (Array.isArray(mapped)) changed.push(...mapped);
    else if (mapped !== undefined) changed.push(mapped as T); // not a list, not nothing
  });
  return changed ?? list;
}

/** The node with these members; itself where they are the ones it has. */
function replaced<T extends object>(node: T, members: Partial<T>): T {
  const names = Object.keys(members) as (keyof T)[]; // members of T
  return names.every(name => node[name] === members[name]) ? node : { ...node, ...members };
}
