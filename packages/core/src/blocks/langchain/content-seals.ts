/** Seals of LangChain's content blocks: where they stand, and who made them. */

import { hintsOf } from "../../codec/remainder.ts";
import { equalJson, isJsonObject, type Json, type MutableJsonObject } from "../../model/json.ts";
import type { Part, PartBase, Seal } from "../../model/parts.ts";
import { isSeal } from "../chat-parts/calls.ts";
import { type BlockReader, BlockWriter, type ContentAbout, type Language, langchainContent } from "./content-places.ts";

/** Makers by `model_provider`, and by the type of a chat model (`_llmType`), where they differ from it. Bedrock signs for Claude. */
const makers: { readonly [provider: string]: string } = {
  azure: "openai",
  azure_openai: "openai",
  bedrock: "anthropic",
  bedrock_converse: "anthropic",
  "bedrock-converse": "anthropic",
  google_genai: "google",
  "google-genai": "google",
  google_vertexai: "google",
  "google-vertexai": "google",
  google_anthropic_vertex: "anthropic",
  mistralai: "mistral",
  mistral_ai: "mistral",
  googlegenerativeai: "google",
  vertexai: "google",
  chat_bedrock_converse: "anthropic",
};

/** Who makes the seals of a provider's answers. */
export const makerOf = ({ modelProvider }: Pick<ContentAbout, "modelProvider">): string | undefined =>
  modelProvider === undefined || !Object.hasOwn(makers, modelProvider) ? modelProvider : makers[modelProvider];

/** Hosts whose seals the maker's own API does not read, by the same names. */
const routes: { readonly [provider: string]: string } = {
  azure: "azure",
  azure_openai: "azure",
  google_vertexai: "vertex",
  "google-vertexai": "vertex",
  vertexai: "vertex",
};
const routeOf = ({ modelProvider }: Pick<ContentAbout, "modelProvider">): string | undefined =>
  modelProvider === undefined || !Object.hasOwn(routes, modelProvider) ? undefined : routes[modelProvider];

/** Whether a provider, as LangChain names it, reads the seal: its maker's, by its own route. Claude's are read by all of its hosts. */
export function isHomeAt({ maker, route, values }: Seal, modelProvider: string): boolean {
  const about = { modelProvider };
  if (maker === undefined || maker !== makerOf(about)) return false;
  const isFree = maker === "anthropic" && Object.keys(values).every(name => name === "signature" || name === "data");
  return route === routeOf(about) || isFree;
}

/** Whether two providers, as LangChain names them, read each other's seals. */
export const areOneHome = (one: string, other: string): boolean => {
  const [about, others] = [{ modelProvider: one }, { modelProvider: other }];
  return makerOf(about) === makerOf(others) && routeOf(about) === routeOf(others);
};

/** Where a seal stands that no member of LangChain's is for. */
const whole = "extras.translogue";

/** Ids that LangChain makes itself. */
const isMade = (id: string): boolean => id.startsWith("lc_") || id === "";

/** What a block tells of its seal, and its own id, which is the maker's where OpenAI made it. */
export function readSeal(reader: BlockReader, options: { readonly id?: "own" | "item" } = {}): Partial<PartBase> {
  const given = reader.find("seal", (value): value is Json & Seal => isSeal(value));
  const id = options.id && readId(reader, options.id);
  const own = id !== undefined && !("seal" in id) ? { id: id.own } : {};
  if (given) {
    // Written by the other language, or under no provider's name: it stays there.
    reader.note(whole);
    return { ...own, seal: given };
  }
  const values: { [name: string]: string } = { ...(id && "seal" in id && { id: id.seal }) };
  let maker = values["id"] === undefined ? undefined : "openai";
  const isGoogle = makerOf(reader.about) === "google";
  const thought =
    isGoogle || reader.peek("thoughtSignature") !== undefined ? reader.findText("thoughtSignature") : undefined;
  const signature = thought === undefined ? reader.findText("signature") : undefined;
  const encrypted = reader.findText("encrypted");
  if (thought !== undefined) [maker, values["thoughtSignature"]] = ["google", thought];
  if (signature !== undefined) [maker, values["signature"]] = [makerOf(reader.about), signature];
  if (encrypted !== undefined) [maker, values["encrypted_content"]] = [makerOf(reader.about) ?? "openai", encrypted];
  if (Object.keys(values).length === 0) return own;
  const route = maker === makerOf(reader.about) ? routeOf(reader.about) : undefined;
  return { ...own, seal: { ...(maker !== undefined && { maker }), ...(route !== undefined && { route }), values } };
}

/** Makers whose name is that of their provider in both languages. */
const namedMakers: readonly string[] = ["openai", "anthropic"];

/**
 * The provider under whose name LangChain's adapters look for the seals of an answer, where nobody named one: the maker of
 * all of them, if under its name they have a place of their own.
 */
export function providerOfSeals(parts: readonly Part[], language: Language): string | undefined {
  const sealed = parts.filter(part => part.seal !== undefined);
  const maker = sealed[0]?.seal?.maker;
  if (maker === undefined || !namedMakers.includes(maker)) return undefined;
  const isPlaced = (part: Part, modelProvider: string | undefined): boolean => {
    const writer = new BlockWriter(part, { language, modelProvider, role: "ai" });
    const options = { id: part.type === "tool-call" ? "item" : "own", hasId: part.id !== undefined } as const;
    return !writer.had(whole) && part.seal !== undefined && sealPlaces(part.seal, writer, options) !== undefined;
  };
  const isRead = sealed.some(part => hintsOf(part, langchainContent)["$block"] !== undefined);
  const isOne = !isRead && sealed.every(part => part.seal?.maker === maker && isPlaced(part, maker));
  return isOne && sealed.some(part => !isPlaced(part, undefined)) ? maker : undefined;
}

function readId(
  reader: BlockReader,
  kind: "own" | "item",
): { readonly own: string } | { readonly seal: string } | undefined {
  if (kind === "item") {
    const id =
      makerOf(reader.about) === "openai" || reader.about.modelProvider === undefined
        ? reader.findText("itemId")
        : undefined;
    return id === undefined ? undefined : { seal: id };
  }
  const id = reader.string("id");
  if (id === undefined) return undefined;
  return makerOf(reader.about) === "openai" && !isMade(id) ? { seal: id } : { own: id };
}

/** Puts the seal where a reader of the same message finds it, or whole into a member of ours. */
export function writeSeal(part: Part, writer: BlockWriter, options: { readonly id?: "own" | "item" } = {}): void {
  const { seal, id } = part;
  const isOwn = options.id === "own";
  if (isOwn && id !== undefined) writer.set("id", id);
  if (!seal) return;
  const { values } = seal;
  const places = writer.had(whole) ? undefined : sealPlaces(seal, writer, { ...options, hasId: id !== undefined });
  if (!places) {
    writer.put("seal", { ...seal, values: { ...values } });
    return;
  }
  for (const name of places) {
    const value = values[name];
    if (name !== "id") writer.put(name === "encrypted_content" ? "encrypted" : name, value);
    else if (isOwn) writer.set("id", value);
    else writer.put("itemId", value);
  }
}

type SealName = "id" | "signature" | "thoughtSignature" | "encrypted_content";

/** The members of a seal that a reader puts together again; undefined where it would read another one. */
function sealPlaces(
  seal: Seal,
  writer: BlockWriter,
  options: { readonly id?: "own" | "item"; readonly hasId: boolean },
): readonly SealName[] | undefined {
  const { maker, route, values, ...more } = seal;
  if (Object.keys(more).length > 0 || Object.values(values).some(value => typeof value !== "string")) return undefined;
  const { about } = writer;
  const provider = makerOf(about);
  const names = Object.keys(values);
  const read: MutableJsonObject = { values: { ...values } };
  for (const name of names) {
    switch (name) {
      case "id": {
        const isItem = options.id === "item" && (provider === "openai" || provider === undefined);
        const isOwn = options.id === "own" && provider === "openai" && !options.hasId && !isMade(values["id"] ?? "");
        if (!isItem && !isOwn) return undefined;
        read["maker"] = "openai";
        break;
      }
      case "thoughtSignature":
        if (provider !== "google" && about.language === "python" && !writer.had("thoughtSignature")) return undefined;
        read["maker"] = "google";
        break;
      case "signature":
        if (provider === "google" || names.includes("thoughtSignature")) return undefined;
        if (provider !== undefined) read["maker"] = provider;
        break;
      case "encrypted_content":
        read["maker"] = provider ?? "openai";
        break;
      default:
        return undefined;
    }
  }
  const told = { ...(maker !== undefined && { maker }), ...(route !== undefined && { route }), values };
  const from = read["maker"] === provider ? routeOf(about) : undefined;
  return equalJson({ ...read, ...(from !== undefined && { route: from }) }, told) && names.length > 0
    ? (names as SealName[])
    : undefined; // each is a case above
}

/** A cache breakpoint, as Anthropic's hosts and LangChain write it. */
export function readCache(reader: BlockReader): Partial<PartBase> {
  const marker = reader.find("cache", (value): value is { readonly [key: string]: Json } => {
    if (!isJsonObject(value) || value["type"] !== "ephemeral") return false;
    const { type: _, ttl, ...more } = value;
    return (ttl === undefined || typeof ttl === "string") && Object.keys(more).length === 0;
  });
  if (!marker) return {};
  return { cache: typeof marker["ttl"] === "string" ? { ttl: marker["ttl"] } : {} };
}

export function writeCache(part: Part, writer: BlockWriter): void {
  if (!part.cache) return;
  writer.put("cache", { type: "ephemeral", ...(part.cache.ttl !== undefined && { ttl: part.cache.ttl }) });
}
