import { inputTextOf, type Part } from "translogue";
import { countTokens, estimate } from "translogue/history";
import type { Outline } from "./nodes.ts";
import type { Spans } from "./places.ts";

/** One line of the tree. */
export interface Row {
  /** Of the row around it; -1 = none. */
  readonly above: number;
  readonly depth: number;
  /** `messages[0].parts[1]`. */
  readonly path: string;
  readonly kind: "tool" | "message" | "part";
  /** A tool's name, a message's role, a part's type. */
  readonly name: string;
  /** What is in it, in one line. */
  readonly text: string;
  /** By estimate. */
  readonly tokens: number;
  /** How many rows right behind it are inside of it. */
  readonly inside: number;
  readonly spans: Spans;
}

/** The rows of a conversation, one for each of its nodes. */
export function rowsOf(outline: readonly Outline[], places: readonly Spans[]): readonly Row[] {
  const inside = outline.map(() => 0);
  for (let number = outline.length - 1; number >= 0; number--) {
    const above = outline[number]?.above ?? -1;
    if (above >= 0) inside[above] = (inside[above] ?? 0) + (inside[number] ?? 0) + 1;
  }
  return outline.map((placed, number) => {
    const { above, depth, name: path, kind } = placed;
    return {
      ...{ above, depth, path, kind, name: nameOf(placed), text: inLine(textOf(placed)), tokens: tokensOf(placed) },
      inside: inside[number] ?? 0,
      spans: places[number] ?? [],
    };
  });
}

function nameOf(placed: Outline): string {
  if (placed.kind === "tool") return placed.node.name;
  return placed.kind === "message" ? placed.node.role : placed.node.type;
}

function textOf(placed: Outline): string {
  if (placed.kind === "tool") return placed.node.description ?? "";
  if (placed.kind === "part") return partText(placed.node);
  for (const part of placed.node.parts) {
    const text = partText(part);
    if (text !== "") return text;
  }
  return "";
}

/** Of a long text no more is read than is shown. */
const most = 160;

function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text.slice(0, most);
    case "reasoning":
      return part.text?.slice(0, most) ?? "";
    case "tool-call":
      return `${part.name} ${inputTextOf(part)?.slice(0, most) ?? ""}`;
    case "tool-result": {
      const [first] = part.output ?? [];
      return `${part.name ?? part.callId} ${first ? partText(first) : ""}`;
    }
    case "file":
      return [part.name, part.mediaType, "url" in part.source ? part.source.url.slice(0, most) : undefined]
        .filter(text => text !== undefined)
        .join(" · ");
    case "source":
      return part.title ?? part.url ?? part.name ?? "";
    case "error":
      return part.message.slice(0, most);
    default:
      return JSON.stringify({ ...part, type: undefined, native: undefined })?.slice(0, most) ?? "";
  }
}

const inLine = (text: string): string => {
  const line = text.slice(0, most).replaceAll(/\s+/g, " ").trim().toWellFormed();
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
};

const frame = estimate({ role: "user", parts: [] });

/** By estimate; of a message with its frame. */
export function tokensOf(placed: Outline): number {
  if (placed.kind === "message") return estimate(placed.node);
  if (placed.kind === "tool") return countTokens({ messages: [], tools: [placed.node] });
  return partTokens(placed.node);
}

export const partTokens = (part: Part): number => estimate({ role: "user", parts: [part] }) - frame;
