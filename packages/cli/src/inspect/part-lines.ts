import { inputTextOf, type Part, type PartOf } from "translogue";
import type { Style } from "../io.ts";
import { size } from "../output/progress.ts";

/** A piece of a transcript before it is wrapped. `fold`: shown on one line, or in its first few; absent = whole. */
export interface Piece {
  readonly text: string;
  readonly style?: Style;
  readonly fold?: "line" | "lines";
  /** What stands before its first line; the others are indented by as much. */
  readonly mark?: string;
}

export interface PartContext {
  readonly full: boolean;
  /** The results of a call, where they are shown with it. */
  resultsOf(call: PartOf<"tool-call">): readonly PartOf<"tool-result">[];
  /** Whether a result is shown with its call. */
  isShownWithCall(result: PartOf<"tool-result">): boolean;
}

/** What a transcript shows of a part. */
export function partPieces(part: Part, context: PartContext): readonly Piece[] {
  switch (part.type) {
    case "text":
      return [part.text === "" ? { text: "(empty text)", style: "dim" } : { text: part.text, fold: "lines" }];
    case "refusal":
      return [{ text: part.text, mark: "refused ", style: "yellow" }];
    case "reasoning":
      return reasoningPieces(part, context.full);
    case "tool-call":
      return callPieces(part, context);
    case "tool-result":
      return context.isShownWithCall(part) ? [] : [resultPiece(part, `◂ result of ${part.name ?? part.callId} `)];
    case "file":
      return [{ text: fileText(part), mark: "▪ ", fold: "line" }];
    case "error":
      return [{ text: part.message, mark: "error ", style: "red" }];
    default:
      return [{ text: otherText(part), mark: `▪ ${part.type} `, style: "dim", fold: "line" }];
  }
}

function reasoningPieces(part: PartOf<"reasoning">, full: boolean): readonly Piece[] {
  const { text, seal, summary } = part;
  const facts = [
    text === undefined ? "hidden" : `${text.length.toLocaleString("en")} characters`,
    ...(summary ? ["a summary"] : []),
    ...(seal ? [`sealed by ${seal.maker ?? "an unknown maker"}`] : []),
  ];
  const head: Piece = { text: `reasoning: ${facts.join(", ")}`, mark: "· ", style: "dim", fold: "line" };
  return full && text ? [head, { text, mark: "  ", style: "dim" }] : [head];
}

function callPieces(call: PartOf<"tool-call">, context: PartContext): readonly Piece[] {
  const { name, kind, executedBy, partial } = call;
  const facts = [
    ...(kind === undefined || kind === name ? [] : [kind]),
    ...(executedBy ? ["run by the provider"] : []),
    ...(partial ? ["cut off"] : []),
  ];
  const title = `${name}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
  const input = inputTextOf(call) ?? "";
  const results = context.resultsOf(call);
  if (context.full) {
    const pretty = call.input === undefined ? input : JSON.stringify(call.input, undefined, 2);
    return [
      { text: title, mark: "▸ ", style: "cyan" },
      { text: pretty, mark: "  " },
      ...results.map(result => resultPiece(result, "  → ")),
    ];
  }
  const answers = results.map(result => ` → ${failureText(result)}${outputText(result)}`).join("");
  const style = results.some(({ outcome }) => outcome !== undefined) ? "red" : "cyan";
  const said = results.length === 0 ? " (no result)" : answers;
  return [{ text: `${title} ${half(input)}${said}`, mark: "▸ ", style, fold: "line" }];
}

/** So that the result is seen, too. */
const half = (input: string): string => (input.length > mostInput ? `${input.slice(0, mostInput)}…` : input);
const mostInput = 60;

const resultPiece = (result: PartOf<"tool-result">, mark: string): Piece => ({
  text: `${failureText(result)}${outputText(result)}`,
  mark,
  fold: "lines",
  style: result.outcome === undefined ? "green" : "red",
});

const failureText = ({ outcome }: PartOf<"tool-result">): string => (outcome === undefined ? "" : `${outcome}: `);

function outputText({ output }: PartOf<"tool-result">): string {
  if (!output || output.length === 0) return "(nothing)";
  return output
    .map(part => {
      if (part.type === "text") return part.text;
      if (part.type === "data") return JSON.stringify(part.data);
      if (part.type === "file") return `[${fileText(part)}]`;
      return part.type === "error" ? part.message : `[${part.type}]`;
    })
    .join("\n");
}

function fileText({ mediaType = "file", name, source, text }: PartOf<"file">): string {
  const facts = [mediaType, ...(name === undefined ? [] : [name]), ...sourceText(source)];
  return `${facts.join(", ")}${text === undefined ? "" : `: ${text}`}`;
}

function sourceText(source: PartOf<"file">["source"]): readonly string[] {
  if ("data" in source) return [size((source.data.length * 3) / 4)];
  if ("url" in source) return [source.url.startsWith("data:") ? "a data URL" : source.url];
  if ("id" in source) return [`id ${source.id}`];
  return "text" in source ? [size(Buffer.byteLength(source.text))] : [`${source.parts.length} parts`];
}

/** The other parts by what they say of themselves. */
function otherText(part: Part): string {
  const { type: _, native: __, exact: ___, seal: ____, ...members } = part;
  return Object.entries(members)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
