/**
 * `providerMetadata` of the AI SDK's parts: what each provider's package wants back with the next request, by provider.
 * Its seals become seals (R11), what has a field becomes a field, the rest stays where it was.
 */

import { fill, Reader, rowOf } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { PartBase, Seal } from "../../model/parts.ts";

/** The key for what is ours: who made a seal, where the provider's key alone does not say it. Providers do not read it. */
export const ours = "translogue";

interface Provider {
  readonly maker: string;
  readonly route?: string;
  /** Member of the metadata → name of the seal's value. */
  readonly values: { readonly [member: string]: string };
}

const anthropic = { signature: "signature", redactedData: "data", encryptedIndex: "encrypted_index" };
const openai = { itemId: "id", reasoningEncryptedContent: "encrypted_content" };
const google = { thoughtSignature: "thoughtSignature", signature: "signature" };

/** Keys of the packages whose seals are known; of several for one maker and route, the one to write comes first. */
const providers: { readonly [key: string]: Provider } = {
  anthropic: { maker: "anthropic", values: anthropic },
  bedrock: { maker: "anthropic", route: "bedrock", values: anthropic },
  amazonBedrock: { maker: "anthropic", route: "bedrock", values: anthropic },
  openai: { maker: "openai", values: openai },
  azure: { maker: "openai", route: "azure", values: openai },
  google: { maker: "google", values: google },
  vertex: { maker: "google", route: "vertex", values: google },
  googleVertex: { maker: "google", route: "vertex", values: google },
  xai: { maker: "xai", values: openai },
};

/** OpenRouter's key holds a list of details, each of the maker that its `format` names. */
const openRouter = "openrouter";
const detailMakers: { readonly [format: string]: string } = {
  "anthropic-claude-v1": "anthropic",
  "openai-responses-v1": "openai",
  "azure-openai-responses-v1": "openai",
  "google-gemini-v1": "google",
  "xai-responses-v1": "xai",
};

/** Members that are a field: kind of part → provider → member → field, with the words that differ. */
interface FieldOf {
  readonly field: string;
  readonly words?: { readonly [wire: string]: string };
}
export type FieldTable = { readonly [provider: string]: { readonly [member: string]: FieldOf } };
export const textFields: FieldTable = {
  openai: { phase: { field: "phase", words: { commentary: "commentary", final_answer: "final" } } },
};
export const fileFields: FieldTable = { openai: { imageDetail: { field: "detail" } } };
export const sourceFields: FieldTable = { openai: { fileId: { field: "fileId" } } };
export const noFields: FieldTable = {};

/** Where a cache breakpoint is said. The first is the one to write. */
const cacheMarks = [
  { provider: "anthropic", member: "cacheControl", type: "ephemeral" },
  { provider: "anthropic", member: "cache_control", type: "ephemeral" },
  { provider: "bedrock", member: "cachePoint", type: "default" },
  { provider: "amazonBedrock", member: "cachePoint", type: "default" },
] as const;

/**
 * Whether reasoning of this maker's is a summary: OpenAI's package tells nothing but the summary's entries, and its API takes
 * them back as such alone (2026-12-01).
 */
export const isOfSummary = (seal: Seal | undefined): boolean =>
  seal?.maker === "openai" && seal.values["id"] !== undefined && (seal.route === undefined || seal.route === "azure");

/** Whether the SDK hands a seal to its maker only: it does where it knows the maker's key. */
export const isKnownMaker = (seal: Seal): boolean => keyOf(seal) !== undefined;

export interface ReadMetadata {
  readonly members: Pick<PartBase, "seal" | "cache"> & { readonly [field: string]: Json | Seal | undefined };
  /** What is left, as it was. */
  readonly rest: JsonObject | undefined;
  readonly hints: JsonObject;
}

/** Reads a part's metadata; `fields` are the members that are fields of this kind of part. */
export function readMetadata(metadata: JsonObject, fields: FieldTable): ReadMetadata {
  const members: Reading["members"] = {};
  const seals: Reading["seals"] = {};
  const hints: MutableJsonObject = {};
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(metadata)) {
    const value = metadata[key] ?? null;
    const left = isJsonObject(value) ? readProvider(new Reader(value), { key, fields, members, seals, hints }) : value;
    if (left !== undefined) setMember(rest, key, left);
  }
  const seal = joined(seals.known, seals.added);
  if (seal) members["seal"] = seal;
  return { members, rest: Object.keys(rest).length > 0 ? rest : undefined, hints };
}

interface Reading {
  readonly key: string;
  readonly fields: FieldTable;
  readonly members: { [field: string]: Json | Seal };
  /** What a provider's key says of the seal, and what ours adds to it: the two make one. */
  readonly seals: { known?: Seal; added?: Seal };
  readonly hints: MutableJsonObject;
}

const joined = (known: Seal | undefined, added: Seal | undefined): Seal | undefined =>
  known && added ? { ...known, ...added, values: { ...known.values, ...added.values } } : (known ?? added);

/** What no field took of one provider's members; undefined where all was taken. */
function readProvider(reader: Reader, { key, fields, members, seals, hints }: Reading): JsonObject | undefined {
  const empty = Object.keys(reader.value).length === 0;
  if (key === ours) readOurs(reader, seals);
  const seal = seals.known ? undefined : readSeal(reader, key);
  if (seal) {
    seals.known = seal;
    if (keyOf(seal) !== key) hints["$provider"] = key;
  }
  for (const mark of cacheMarks) {
    if (mark.provider !== key || members["cache"] !== undefined) continue;
    const cache = readCache(reader.peek(mark.member), mark.type);
    if (!cache) continue;
    reader.take(mark.member);
    members["cache"] = cache;
    if (mark !== cacheMarks[0]) hints["$cache"] = `${mark.provider}.${mark.member}`;
  }
  for (const [member, { field, words }] of Object.entries(rowOf(fields, key) ?? {})) {
    const value = reader.peek(member);
    const word = typeof value === "string" ? (words ? rowOf(words, value) : value) : undefined;
    if (word === undefined) continue;
    reader.take(member);
    members[field] = word;
  }
  return empty ? {} : reader.rest();
}

function readSeal(reader: Reader, key: string): Seal | undefined {
  if (key === openRouter) return readDetails(reader);
  const provider = rowOf(providers, key);
  if (!provider) return undefined;
  const values: { [name: string]: string } = {};
  for (const [member, name] of Object.entries(provider.values)) {
    if (values[name] !== undefined || typeof reader.peek(member) !== "string") continue;
    values[name] = reader.string(member) ?? "";
  }
  if (Object.keys(values).length === 0) return undefined;
  const { maker, route } = provider;
  return { maker, ...(route !== undefined && { route }), values };
}

function readDetails(reader: Reader): Seal | undefined {
  const details = reader.array("reasoning_details");
  if (!details) return undefined;
  const makers = new Set(
    details.map(detail =>
      isJsonObject(detail)
        ? typeof detail["format"] === "string"
          ? rowOf(detailMakers, detail["format"])
          : undefined
        : undefined,
    ),
  );
  const [maker] = makers;
  const known = makers.size === 1 && maker !== undefined;
  return { ...(known && { maker }), route: openRouter, values: { reasoning_details: JSON.stringify(details) } };
}

/** A seal whose provider has no key of its own, or of which the key does not say all. */
function readOurs(reader: Reader, seals: Reading["seals"]): void {
  const seal = reader.peek("seal");
  if (!isSeal(seal)) return;
  reader.take("seal");
  seals.added = seal;
}

function isSeal(value: Json | undefined): value is JsonObject & Seal {
  if (!isJsonObject(value) || !isJsonObject(value["values"])) return false;
  const isText = (member: Json | undefined): boolean => member === undefined || typeof member === "string";
  return (
    isText(value["maker"]) &&
    isText(value["model"]) &&
    isText(value["route"]) &&
    Object.values(value["values"]).every(isText)
  );
}

/** The cache breakpoint that options mark, where it stands in them, and what is left of them; undefined where they mark none. */
export function takeCache(
  options: JsonObject,
):
  | { readonly cache: NonNullable<PartBase["cache"]>; readonly mark: string; readonly rest: JsonObject | undefined }
  | undefined {
  for (const { provider, member, type } of cacheMarks) {
    const said = options[provider];
    const cache = isJsonObject(said) ? readCache(said[member], type) : undefined;
    if (!isJsonObject(said) || !cache) continue;
    const { [member]: _, ...members } = said;
    const { [provider]: __, ...others } = options;
    const rest = Object.keys(members).length > 0 ? { ...others, [provider]: members } : others;
    return { cache, mark: `${provider}.${member}`, rest: Object.keys(rest).length > 0 ? rest : undefined };
  }
  return undefined;
}

function readCache(value: Json | undefined, type: string): PartBase["cache"] | undefined {
  if (!isJsonObject(value) || value["type"] !== type) return undefined;
  const { type: _, ttl, ...others } = value;
  if (Object.keys(others).length > 0 || (ttl !== undefined && typeof ttl !== "string")) return undefined;
  return ttl === undefined ? {} : { ttl };
}

/** The provider's key for a seal: the one that says maker and route; only Claude's signatures are read by all of its hosts. */
const keyOf = (seal: Seal): string | undefined => {
  if (seal.route === openRouter) return openRouter;
  const ofMaker = Object.keys(providers).filter(key => providers[key]?.maker === seal.maker);
  const isFree = seal.maker === "anthropic";
  return ofMaker.find(key => providers[key]?.route === seal.route) ?? (isFree ? ofMaker[0] : undefined);
};

/** Whose metadata tell of a call: its maker's. One that nobody sealed is told as Anthropic's package tells it. */
export const keyOfCall = (seal: Seal | undefined): string => (seal ? (keyOf(seal) ?? ours) : "anthropic");

export interface WrittenPart extends Pick<PartBase, "seal" | "cache"> {
  readonly phase?: string;
  readonly detail?: string;
  readonly fileId?: string;
}

/** The metadata of a node: its fields first, then what was left of it when it was read (R3), under `member` of its remainder. */
export function writeMetadata(
  node: WrittenPart,
  fields: FieldTable,
  remainder: JsonObject,
  member = "providerMetadata",
): JsonObject | undefined {
  const kept = remainder[member];
  if (!node.seal && !node.cache && !Object.values(fields).some(members => saysAny(node, members))) {
    return isJsonObject(kept) ? kept : undefined;
  }
  const written: { [provider: string]: MutableJsonObject } = {};
  const put = (provider: string, member: string, value: Json): void => {
    const object = written[provider] ?? {};
    written[provider] = object;
    setMember(object, member, value);
  };
  if (node.seal) writeSeal(node.seal, remainder["$provider"], put);
  if (node.cache) {
    const hint = remainder["$cache"];
    const mark = cacheMarks.find(each => hint === `${each.provider}.${each.member}`) ?? cacheMarks[0];
    put(mark.provider, mark.member, { type: mark.type, ...(node.cache.ttl !== undefined && { ttl: node.cache.ttl }) });
  }
  for (const [provider, members] of Object.entries(fields)) {
    for (const [name, { field, words }] of Object.entries(members)) {
      const value = node[field as keyof WrittenPart]; // fields of the tables above
      if (typeof value !== "string") continue;
      put(provider, name, words ? (Object.keys(words).find(word => words[word] === value) ?? value) : value);
    }
  }
  if (Object.keys(written).length === 0) return isJsonObject(kept) ? kept : undefined;
  return fill(written, isJsonObject(kept) ? kept : undefined);
}

function saysAny(node: WrittenPart, members: FieldTable[string]): boolean {
  for (const { field } of Object.values(members)) if (Object.hasOwn(node, field)) return true;
  return false;
}

/** What the provider's key can say stands there, where its package looks for it; the rest stands under ours. */
function writeSeal(
  seal: Seal,
  hint: Json | undefined,
  put: (provider: string, member: string, value: Json) => void,
): void {
  const details = seal.route === openRouter ? parsedDetails(seal) : undefined;
  if (details) {
    put(openRouter, "reasoning_details", details);
    return;
  }
  const hinted = typeof hint === "string" && Object.hasOwn(providers, hint) ? providers[hint] : undefined;
  const key =
    typeof hint === "string" && hinted?.maker === seal.maker && hinted?.route === seal.route ? hint : keyOf(seal);
  const provider = key === undefined ? undefined : providers[key];
  const others: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(seal.values)) {
    const member = Object.keys(provider?.values ?? {}).find(each => provider?.values[each] === name);
    if (key !== undefined && member !== undefined) put(key, member, value);
    else setMember(others, name, value);
  }
  const isSaid = Object.keys(others).length < Object.keys(seal.values).length;
  const added: MutableJsonObject = {
    ...(seal.maker !== undefined && (!isSaid || seal.maker !== provider?.maker) && { maker: seal.maker }),
    ...(seal.model !== undefined && { model: seal.model }),
    ...(seal.route !== undefined && (!isSaid || seal.route !== provider?.route) && { route: seal.route }),
  };
  if (!isSaid || Object.keys(added).length > 0 || Object.keys(others).length > 0) {
    put(ours, "seal", { ...added, values: others });
  }
}

/** The details of a seal that was read from them, and says nothing else. */
function parsedDetails(seal: Seal): readonly Json[] | undefined {
  const { reasoning_details: text, ...others } = seal.values;
  if (text === undefined || Object.keys(others).length > 0 || seal.model !== undefined) return undefined;
  try {
    const details: unknown = JSON.parse(text);
    const read = Array.isArray(details) ? readDetails(new Reader({ reasoning_details: details })) : undefined;
    return read && read.maker === seal.maker ? (details as Json[]) : undefined; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}
