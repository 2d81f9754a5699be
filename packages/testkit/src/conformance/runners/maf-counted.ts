import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import type { GroupOptions } from "translogue/history";
import { readDataUri, writeMaf } from "translogue/maf";
import { listOf } from "./langchain-specs.ts";

/** Messages counted as MAF counts them: by the texts of what it knows. */

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const encoder = new TextEncoder();
const bytesIn = (text: string): number => encoder.encode(text).length;
const wordsIn = (text: string): number => text.split(/\s+/).filter(word => word !== "").length;

function bytesOf(item: Json): number {
  const content = objectOf(item);
  const values = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + bytesIn(valueText(content[name])), 0);
  switch (content["$type"]) {
    case "text":
      return values("text");
    case "reasoning":
      return values("text", "protectedData");
    case "data":
      return bytesOfData(content["uri"]) + values("name");
    case "uri":
      return values("uri", "mediaType");
    case "functionCall":
      return Object.entries(objectOf(content["arguments"])).reduce(
        (sum, [key, value]) => sum + bytesIn(key) + bytesIn(valueText(value)),
        values("callId", "name"),
      );
    case "functionResult":
      return values("callId", "result");
    case "error":
      return values("message", "errorCode", "details");
    case "hostedFile":
      return values("fileId", "mediaType", "name");
    default:
      return 0;
  }
}

/** The file itself, not its base64, and its type. */
function bytesOfData(uri: Json | undefined): number {
  const data = typeof uri === "string" ? readDataUri(uri) : undefined;
  return typeof data === "object" ? atob(data.base64).length + bytesIn(data.mediaType) : 0;
}

/** As .NET's `ToString`; lists, objects and numbers by their JSON text. */
function valueText(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? value : writeMaf({ value }, { type: "object" });
}

/** A tokeniser is asked about what is said; of all else a quarter of the bytes counts. */
function tokensOf(item: Json): number {
  const { $type: word, text, protectedData } = objectOf(item);
  if (word === "text") return wordsIn(valueText(text));
  return word === "reasoning"
    ? wordsIn(valueText(text)) + wordsIn(valueText(protectedData))
    : Math.floor(bytesOf(item) / 4);
}

/** A mark in the additional members, in any case of letters. */
function isMarked(wire: Json): boolean {
  const { additionalProperties, role } = objectOf(wire);
  const marks = Object.entries(objectOf(additionalProperties));
  const isAssistant = String(role).toLowerCase() === "assistant";
  return isAssistant && marks.some(([key, value]) => key.toLowerCase() === "_is_summary" && value === true);
}

const sum = (wire: Json, count: (item: Json) => number): number =>
  listOf(objectOf(wire)["contents"]).reduce<number>((all, item) => all + count(item), 0);

const saidIn = ({ parts }: Message): string => parts.map(part => (part.type === "text" ? part.text : "")).join("");

/** Ours, to count as MAF does: `messages` stand for `wires`, one for one; others were made by a strategy. */
export function countersOf(
  { wires, messages }: { readonly wires: readonly Json[]; readonly messages: readonly Message[] },
  tokenizer: Json | undefined,
): GroupOptions {
  const hasWords = tokenizer === "words";
  const counts = new Map(
    messages.map((message, index) => {
      const wire = wires[index] ?? null;
      return [message, hasWords ? sum(wire, tokensOf) : sum(wire, bytesOf) / 4];
    }),
  );
  const tokenCounter = (message: Message): number =>
    counts.get(message) ?? (hasWords ? wordsIn(saidIn(message)) : bytesIn(saidIn(message)) / 4);
  const marked = new Set(messages.filter((_, index) => isMarked(wires[index] ?? null)));
  return { isSummary: message => message.synthetic === "summary" || marked.has(message), tokenCounter };
}
