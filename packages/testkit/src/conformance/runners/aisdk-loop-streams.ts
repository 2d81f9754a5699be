import { isJsonObject, type Json, type JsonObject } from "translogue";

/** Errors and files as their members are, in place of the tags that the cases have for them. */
export function liveErrors(value: Json): Json {
  if (Array.isArray(value)) return value.map(liveErrors);
  if (!isJsonObject(value)) return value;
  const { $error: error, $file: file, ...members } = value;
  if (typeof error === "string") {
    const [, name = "Error", message = error] = /^([\w]+): (.*)$/s.exec(error) ?? [];
    return { name, message };
  }
  if (isJsonObject(file)) return file;
  return Object.fromEntries(Object.entries(members).map(([key, member]) => [key, liveErrors(member)]));
}

/**
 * A stream without what two spellings of it may have different: ids of texts are their numbers, deltas of one text are
 * one, metadata of a block stands at its end.
 */
export function canonical(stream: readonly Json[]): readonly Json[] {
  const ids = new Map<string, number>();
  const blocks = new Map<string, { start: number; metadata: Json | undefined }>();
  const told: JsonObject[] = [];
  let count = 0;
  for (const part of stream) {
    if (!isJsonObject(part)) continue;
    const [, block, step] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(String(part["type"])) ?? [];
    if (silent.has(String(part["type"]))) continue;
    if (block === undefined) {
      told.push(plainPart(part));
      continue;
    }
    const key = `${block} ${String(part["id"])}`;
    if (step === "start") ids.set(key, count++);
    else if (!ids.has(key)) continue; // its reader dies of it
    const { providerMetadata, ...others } = part;
    const id = block === "tool-input" ? (part["id"] ?? null) : (ids.get(key) ?? null);
    const last = told.at(-1);
    if (step === "delta" && last?.["id"] === id && last?.["type"] === part["type"]) {
      const text = String(textOf(last)) + String(textOf(part));
      told[told.length - 1] = { ...last, text };
    } else if (step !== "delta" || textOf(part) !== "") {
      const { delta: _, text: __, ...rest } = others;
      told.push({ ...rest, id, ...(step === "delta" && { text: textOf(part) }) });
    }
    const known = blocks.get(key);
    if (step === "start" || !known) blocks.set(key, { start: told.length - 1, metadata: providerMetadata });
    else if (providerMetadata !== undefined) known.metadata = providerMetadata;
    if (step === "end") {
      const { metadata } = blocks.get(key) ?? { metadata: undefined };
      if (metadata !== undefined) told[told.length - 1] = { ...told.at(-1), providerMetadata: metadata };
    }
  }
  return told;
}

const silent: ReadonlySet<string> = new Set(["raw", "ping"]);

const textOf = ({ delta, text }: JsonObject): Json => delta ?? text ?? "";

function messageOf(error: Json): Json {
  if (!isJsonObject(error)) return typeof error === "string" ? error : JSON.stringify(error);
  return typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
}

/** An error is its message; of an end the total is compared apart. */
function plainPart(part: JsonObject): JsonObject {
  const { error } = part;
  if (part["type"] === "error") return { type: "error", error: messageOf(error ?? null) };
  if (part["type"] !== "finish" || part["totalUsage"] === undefined) return part;
  const { totalUsage: _, ...end } = part;
  return end;
}

/** A count without the provider's own. */
export function withoutUsage(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { raw: _, ...counts } = value;
  return counts;
}
