import {
  type Conversation,
  formatPath,
  inputTextOf,
  type Message,
  type Part,
  type Path,
  type Tool,
  walk,
} from "translogue";

/** A node of a conversation that has a place of its own in the tree. */
export type PlacedNode =
  | { readonly kind: "tool"; readonly node: Tool }
  | { readonly kind: "message"; readonly node: Message }
  | { readonly kind: "part"; readonly node: Part };

/** Its number is its place in the list; whatever is inside of it follows it. */
export type Outline = PlacedNode & {
  readonly path: Path;
  /** The path as people read it: its name among all nodes. */
  readonly name: string;
  /** Of the node around it; -1 = none. */
  readonly above: number;
  readonly depth: number;
};

/** The messages, parts and tools of a conversation, in the order of a tree that is all open. */
export function outlineOf(conversation: Conversation): readonly Outline[] {
  const outline: Outline[] = [];
  const open: number[] = [];
  const add = (placed: PlacedNode, path: Path): void => {
    let above = open.at(-1);
    while (above !== undefined && !isInside(path, outline[above]?.path ?? [])) {
      open.pop();
      above = open.at(-1);
    }
    open.push(outline.length);
    outline.push({ ...placed, path, name: formatPath(path), above: above ?? -1, depth: open.length - 1 });
  };
  walk(conversation, {
    tool: (node, path) => add({ kind: "tool", node }, path),
    message: (node, path) => add({ kind: "message", node }, path),
    part: (node, path) => add({ kind: "part", node }, path),
  });
  return outline;
}

function isInside(path: Path, around: Path): boolean {
  if (path.length <= around.length) return false;
  // Paths in order of the walk: only the ends of the way can differ.
  for (let index = around.length - 1; index >= 0; index--) if (path[index] !== around[index]) return false;
  return true;
}

/** The node at a path, or the nearest around it. Names are those of `outline`. */
export function nearestNode(path: Path, names: ReadonlyMap<string, number>): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const found = names.get(formatPath(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
}

export const namesOf = (outline: readonly Outline[]): ReadonlyMap<string, number> =>
  new Map(outline.map(({ name }, index) => [name, index]));

/** Members that say what a thing is, not what is in it: no wire spells them so, or every node has the same. */
const labels = new Set(
  "type kind outcome role executedBy phase mediaType detail exact maker model route provider unit".split(" "),
);
/** Members that hold nodes of their own, which have their own places. */
const inner = new Set("parts output display summary call citations toolsAdded native".split(" "));
const mostStrings = 40;

/** The texts of a node that a text which tells of it is likely to have as they are. */
export function ownStrings(placed: PlacedNode): readonly string[] {
  const { kind, node } = placed;
  if (kind === "message") return node.id === undefined || isMade(node.id) ? [] : [node.id];
  const strings: string[] = [];
  collect(node, strings, 0);
  if (kind === "part" && node.type === "tool-call") strings.push(inputTextOf(node) ?? "");
  if (kind === "part" && node.type === "file" && "data" in node.source) {
    strings.push(`data:${node.mediaType};base64,${node.source.data}`);
  }
  return strings;
}

const isMade = (id: string): boolean => id.startsWith("~");

function collect(value: object, into: string[], depth: number): void {
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (into.length >= mostStrings) return;
    if (labels.has(name) || inner.has(name)) continue;
    if (typeof member === "string") {
      if (member !== "" && !isMade(member)) into.push(member);
    } else if (typeof member === "object" && member !== null && depth < 2) collect(member, into, depth + 1);
  }
}
