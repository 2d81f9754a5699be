import { asObject } from "../../blocks/bedrock-converse/node.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

export type LoseInStream = (
  code: "already-sent" | "no-citations" | "not-streamed",
  path: Path,
  detail?: string,
) => void;

interface Place {
  readonly index: number;
  readonly path: Path;
  readonly lose: LoseInStream;
}

/** Blocks that a stream has no events for. */
const never = [
  "document",
  "video",
  "audio",
  "guardContent",
  "searchResult",
  "cachePoint",
  "toolAddition",
  "toolRemoval",
];

/** The events of a block that is known whole: its start where it has one, its deltas, its stop. */
export function eventsOf(block: Json, { index, path, lose }: Place): Json[] {
  const [start, ...deltas] = piecesOf(block, path, lose);
  if (start === undefined && deltas.length === 0) return [];
  return [
    ...(start === undefined || isNothing(start) ? [] : [{ contentBlockStart: { contentBlockIndex: index, start } }]),
    ...deltas.map(delta => ({ contentBlockDelta: { contentBlockIndex: index, delta: delta ?? null } })),
    { contentBlockStop: { contentBlockIndex: index } },
  ];
}

const isNothing = (start: Json): boolean => isJsonObject(start) && Object.keys(start).length === 0;

/** What a block begins with, and its deltas; nothing where it does not stream. What is not known is a start. */
function piecesOf(block: Json, path: Path, lose: LoseInStream): readonly (Json | undefined)[] {
  if (!isJsonObject(block)) return [block];
  const { text, toolResult, image, reasoningContent, ...others } = block;
  if (typeof text === "string" && !toolResult && !image && !reasoningContent) return [others, { text }];
  if (isJsonObject(block["citationsContent"])) return citedPieces(block, block["citationsContent"], { path, lose });
  if (isJsonObject(toolResult)) return resultPieces(block, toolResult, { path, lose });
  if (isJsonObject(image)) return imagePieces(block, image, { path, lose });
  if (isJsonObject(reasoningContent)) return reasoningPieces(block, reasoningContent);
  const member = never.find(each => Object.hasOwn(block, each));
  if (member === undefined) return [block];
  lose("not-streamed", path, member);
  return [];
}

interface About {
  readonly path: Path;
  readonly lose: LoseInStream;
}

function citedPieces(block: JsonObject, cited: JsonObject, { path, lose }: About): readonly Json[] {
  const { content, citations, ...more } = cited;
  const { citationsContent: _, ...others } = block;
  const texts = Array.isArray(content) ? (content as readonly Json[]) : []; // a list of JSON
  const list = Array.isArray(citations) ? (citations as readonly Json[]) : [];
  if (list.length === 0) lose("no-citations", path);
  const start = Object.keys(more).length > 0 ? { ...others, citationsContent: more } : others;
  return [start, ...(texts.length > 0 ? texts : [{ text: "" }]), ...list.map(citation => ({ citation }))];
}

function resultPieces(block: JsonObject, { content, ...result }: JsonObject, { path, lose }: About): readonly Json[] {
  const start = { ...block, toolResult: result };
  if (!Array.isArray(content)) return [content === undefined ? start : block];
  const items = (content as readonly Json[]).filter(item => {
    const isPiece = isJsonObject(item) && (typeof item["text"] === "string" || item["json"] !== undefined);
    if (!isPiece) lose("not-streamed", path, isJsonObject(item) ? Object.keys(item).join(", ") : undefined);
    return isPiece;
  }); // a list of JSON
  return [start, { toolResult: items }];
}

function imagePieces(block: JsonObject, { source, ...image }: JsonObject, { path, lose }: About): readonly Json[] {
  if (typeof asObject(source)["bytes"] !== "string") {
    lose("not-streamed", path, "image");
    return [];
  }
  return [{ ...block, image }, { image: { source: source ?? null } }];
}

/** Reasoning that is hidden; what has a text goes out while it comes. */
function reasoningPieces(block: JsonObject, reasoning: JsonObject): readonly Json[] {
  const { reasoningContent: _, ...others } = block;
  const { reasoningText, redactedContent, ...more } = reasoning;
  const { text, signature, ...rest } = asObject(reasoningText);
  const beside = Object.keys(rest).length > 0 ? { ...more, reasoningText: rest } : more;
  const start = Object.keys(beside).length > 0 ? { ...others, reasoningContent: beside } : others;
  const deltas = Object.entries({ text, signature, redactedContent }).flatMap(([name, value]) =>
    typeof value === "string" ? [{ reasoningContent: { [name]: value } }] : [],
  );
  return deltas.length > 0 ? [start, ...deltas] : [block];
}
