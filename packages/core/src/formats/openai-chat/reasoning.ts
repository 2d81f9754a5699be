import { isSeal } from "../../blocks/chat-parts/calls.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { OpaquePart, ReasoningPart, Seal } from "../../model/parts.ts";
import { family, isText } from "./wire.ts";

/**
 * Reasoning has no place in OpenAI's own Chat wire. Hosts put its text beside the content (`reasoning_content`,
 * `reasoning`, `reasoning_text`), OpenRouter also each piece with its seal into `reasoning_details`. Read here, written
 * back where it was; what comes from elsewhere is written to the first plain member, and to the details where a seal, a
 * hidden piece or a border would be lost otherwise.
 */
export const plainMembers = ["reasoning_content", "reasoning", "reasoning_text"] as const;
export type PlainMember = (typeof plainMembers)[number];
export type Reasoning = ReasoningPart | OpaquePart;

export interface ReadReasoning {
  /** The text beside the details that is not theirs, then the details, in order. */
  readonly plain: ReasoningPart | undefined;
  readonly details: readonly Reasoning[];
  /** For the message. */
  readonly hints: JsonObject;
}

const noReasoning: ReadReasoning = { plain: undefined, details: [], hints: {} };
const members = ["reasoning_details", "thinking_blocks", ...plainMembers];

/** Takes the members of a message that hold reasoning. */
export function readReasoning(reader: Reader): ReadReasoning {
  if (!members.some(member => reader.peek(member) !== undefined)) return noReasoning;
  const wireDetails = reader.peek("reasoning_details");
  const details = Array.isArray(wireDetails) && wireDetails.length > 0 ? wireDetails.map(readDetail) : [];
  if (details.length > 0) reader.take("reasoning_details");
  const texts = details.flatMap(part => (part.type === "reasoning" && part.text ? [part.text] : []));
  const named = plainMembers.filter(member => isText(reader.peek(member)));
  if (texts.length > 0) {
    const join = joins.find(separator => named.some(member => reader.peek(member) === texts.join(separator)));
    const repeating = join === undefined ? [] : named.filter(member => reader.peek(member) === texts.join(join));
    reader.take(...repeating);
    const isUsual = repeating.length === 1 && repeating[0] === plainMembers[0];
    return {
      plain: undefined,
      details,
      hints: { ...(!isUsual && { $plain: repeating }), ...(join && { $join: join }) },
    };
  }
  const [first] = named;
  const block = details.length === 0 ? readBlock(reader, first && reader.peek(first)) : undefined;
  if (block) reader.take("thinking_blocks");
  const text = first ? reader.peek(first) : block?.text;
  if (typeof text !== "string") return { plain: undefined, details, hints: {} };
  const same = named.filter(member => reader.peek(member) === text);
  reader.take(...same);
  const isUsual = same.length === 1 && first === plainMembers[0];
  const hints = { ...(!isUsual && { $as: same }), ...(block && { $blocks: true }) };
  const part = { type: "reasoning", text, seal: block?.seal, ...kept(family, undefined, hints) } as const;
  return { plain: defined<ReasoningPart>(part), details, hints: {} };
}

/** Anthropic's block as LiteLLM passes it on beside the text that it repeats (2026-11-30); only one, with nothing else in it. */
function readBlock(
  reader: Reader,
  beside: Json | undefined,
): { readonly text: string; readonly seal: Seal } | undefined {
  const list = reader.peek("thinking_blocks");
  const [block] = Array.isArray(list) && list.length === 1 ? (list as readonly Json[]) : []; // a list of JSON
  if (!isJsonObject(block)) return undefined;
  const { thinking: text, signature } = block;
  if (!isText(text) || !isText(signature) || (beside !== undefined && beside !== text)) return undefined;
  return equalJson(block, writeBlock(text, signature)) ? { text, seal: blockSeal(signature) } : undefined;
}

const writeBlock = (thinking: string, signature: string): JsonObject => ({ type: "thinking", thinking, signature });
const blockSeal = (signature: string): Seal => ({ maker: "anthropic", values: { signature } });

/** The block that a part was read from, while it says all that the part does (R1). */
function blockOf(part: Reasoning): JsonObject | undefined {
  if (part.type !== "reasoning" || hintsOf(part, family)["$blocks"] !== true) return undefined;
  const { text, summary, id, seal } = part;
  const signature = seal?.values["signature"];
  if (!isText(text) || summary || id !== undefined || !isText(signature)) return undefined;
  return equalJson(seal, blockSeal(signature)) ? writeBlock(text, signature) : undefined;
}

const joins = ["", "\n\n", "\n"];

/** Makers and their names for opaque values, by the format that a detail names (OpenRouter's SDK types, 2026-11-30). */
const detailFormats: readonly {
  readonly format: string;
  readonly maker: string;
  readonly data: string;
  readonly signature: string;
}[] = [
  { format: "anthropic-claude-v1", maker: "anthropic", data: "data", signature: "signature" },
  { format: "google-gemini-v1", maker: "google", data: "thoughtSignature", signature: "thoughtSignature" },
  { format: "openai-responses-v1", maker: "openai", data: "encrypted_content", signature: "signature" },
  { format: "azure-openai-responses-v1", maker: "openai", data: "encrypted_content", signature: "signature" },
  { format: "bedrock-openai-responses-v1", maker: "openai", data: "encrypted_content", signature: "signature" },
  { format: "xai-responses-v1", maker: "xai", data: "encrypted_content", signature: "signature" },
  { format: "bedrock-xai-responses-v1", maker: "xai", data: "encrypted_content", signature: "signature" },
  { format: "meta-responses-v1", maker: "meta", data: "encrypted_content", signature: "signature" },
];
const unknownFormat = { format: "unknown", maker: undefined, data: "data", signature: "signature" };
const formatNamed = (name: Json | undefined) => detailFormats.find(({ format }) => format === name) ?? unknownFormat;
const formatBy = (maker: string | undefined) => detailFormats.find(format => format.maker === maker) ?? unknownFormat;
/** Whose `id` is the maker's item id and must come home with the seal; elsewhere it only numbers the detail. */
const hasItemIds = (maker: string | undefined): boolean => maker === "openai" || maker === "xai" || maker === "meta";

const textMembers: { readonly [type: string]: string | undefined } = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
  "reasoning.encrypted": undefined,
};

/** A member of `reasoning_details`. */
export function readDetail(wire: Json): Reasoning {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  if (!reader || typeof type !== "string" || !Object.hasOwn(textMembers, type)) {
    return { type: "opaque", family, value: wire, ...kept(family, undefined, { $place: "details" }) };
  }
  reader.take("type");
  const member = textMembers[type];
  const text = member === undefined ? undefined : reader.string(member);
  const isSummary = type === "reasoning.summary";
  const { seal, id, hints } = readSeal(reader);
  const isUsual = writeType({ text, isSummary }) === type;
  return defined<ReasoningPart>({
    type: "reasoning",
    text,
    summary: isSummary ? true : undefined,
    id,
    seal,
    ...kept(family, reader.rest(), { $place: "details", ...hints, ...(!isUsual && { $type: type }) }),
  });
}

/** Who made what a detail holds, as far as it names a format. */
export const makerOfDetail = (detail: Json): string | undefined =>
  isJsonObject(detail) && Object.hasOwn(detail, "format") ? formatNamed(detail["format"]).maker : undefined;

/** A text detail without its text is hidden reasoning, as an encrypted one is. */
const writeType = (part: { readonly text: string | undefined; readonly isSummary: boolean }): string =>
  part.isSummary ? "reasoning.summary" : part.text === undefined ? "reasoning.encrypted" : "reasoning.text";

/** What a detail's members say of its seal; takes them. */
function readSeal(reader: Reader): { seal?: Seal; id?: string; hints: JsonObject } {
  const ours = reader.peek("translogue");
  const format = reader.peek("format");
  const { maker, ...names } = formatNamed(format);
  const said = { data: take(reader, "data"), signature: take(reader, "signature"), id: take(reader, "id") };
  if (isSeal(ours)) {
    reader.take("translogue", "format");
    const own = said.id === undefined || ours.values["id"] === said.id ? {} : { id: said.id };
    return { seal: ours, ...own, hints: {} };
  }
  const isItem = hasItemIds(maker);
  const values: { readonly [name: string]: string } = {
    ...(said.data !== undefined && { [names.data]: said.data }),
    ...(said.signature !== undefined && { [names.signature]: said.signature }),
    ...(isItem && said.id !== undefined && { id: said.id }),
  };
  const id = isItem ? undefined : said.id;
  const own = id === undefined ? {} : { id };
  if (Object.keys(values).length === 0) return { ...own, hints: {} };
  if (format === formatBy(maker).format) reader.take("format");
  const seal = defined<Seal>({ maker, route: "openrouter", values });
  return { seal, ...own, hints: format === undefined ? { $format: false } : {} };
}

/** An empty value seals nothing. */
const take = (reader: Reader, member: string): string | undefined =>
  reader.peek(member) === "" ? undefined : reader.string(member);

export interface WriteReasoning {
  /** Members for plain text that the reader takes, the first where nothing says which. */
  readonly plain: readonly PlainMember[];
  readonly hasDetails: boolean;
  /** A member that the model asked for wants, too, whatever else holds the text. */
  readonly wanted: PlainMember | undefined;
  /** Whether a host reads it, which gets no member of ours. */
  readonly isSent: boolean;
  /** Called where pieces lose their borders, or what is no text or a seal's value has no place; `place`: which of the parts. */
  readonly lose: (
    code: "reasoning-joined" | "reasoning-piece" | "empty-text" | "seal-value",
    place: number,
    detail?: string,
  ) => void;
}

/** The members of a message that hold these parts. */
export function writeReasoning(parts: readonly Reasoning[], hints: JsonObject, options: WriteReasoning): JsonObject {
  const written = writeMembers(parts, hints, options);
  const text = options.wanted === undefined ? "" : shownText(parts).join("");
  return options.wanted === undefined || text === "" ? written : { [options.wanted]: text, ...written };
}

function writeMembers(parts: readonly Reasoning[], hints: JsonObject, options: WriteReasoning): JsonObject {
  if (parts.length === 0) return {};
  const apart = parts.filter(part => !isDetail(part));
  const [only] = apart;
  const block = only && parts.length === 1 && !options.isSent ? blockOf(only) : undefined;
  if (block && only) return { ...besideBlock(only, options), thinking_blocks: [block] };
  if (!options.hasDetails) return writeText(parts, only, options);
  const details = [...parts.entries()].filter(([, part]) => isDetail(part));
  if (
    apart.length === 1 &&
    only?.type === "reasoning" &&
    isPlain(only) &&
    details.every(([, part]) => shownText([part]).length === 0)
  ) {
    const listed = details.length > 0 && {
      reasoning_details: details.map(([place, part]) => writeDetail(part, place, options)),
    };
    return { ...plainText(only.text ?? "", only, options), ...listed };
  }
  const text = shownText(parts).join(typeof hints["$join"] === "string" ? hints["$join"] : "");
  const { $plain: listed } = hints;
  const isListed = Array.isArray(listed);
  const repeating = isListed ? plainMembers.filter(member => listed.includes(member)) : options.plain.slice(0, 1);
  const repeated = text === "" ? [] : repeating.map(member => [member, text] as const);
  return {
    ...Object.fromEntries(repeated),
    reasoning_details: parts.map((part, place) => writeDetail(part, place, options)),
  };
}

/** The text under the names that it had beside its block, which may be none. */
function besideBlock(part: Reasoning, options: WriteReasoning): JsonObject {
  const { $as: hint } = hintsOf(part, family);
  const isAlone = Array.isArray(hint) && hint.length === 0;
  return isAlone || part.type !== "reasoning" ? {} : plainText(part.text ?? "", part, options);
}

/** For hosts that take one text and nothing else. */
function writeText(parts: readonly Reasoning[], first: Reasoning | undefined, options: WriteReasoning): JsonObject {
  const texts = shownText(parts);
  for (const [place, part] of parts.entries()) {
    if (part.type === "opaque" || part.text === undefined) options.lose("reasoning-piece", place);
    else if (part.text === "") options.lose("empty-text", place);
    else if (texts.length > 1) options.lose("reasoning-joined", place);
  }
  const [member] = options.plain;
  if (texts.length > 0 || member === undefined) return plainText(texts.join("\n\n"), first, options);
  // DeepSeek wants the member even where nothing was thought (2026-11-30).
  return parts.some(part => part.type === "reasoning" && part.text === "") ? { [member]: "" } : {};
}

const isDetail = (part: Reasoning): boolean => part.type === "opaque" || hintsOf(part, family)["$place"] === "details";
const isPlain = (part: Reasoning): boolean =>
  part.type === "reasoning" &&
  part.text !== undefined &&
  part.text !== "" &&
  !part.seal &&
  !part.summary &&
  part.id === undefined;
const shownText = (parts: readonly Reasoning[]): string[] =>
  parts.flatMap(part => (part.type === "reasoning" && part.text ? [part.text] : []));

function plainText(text: string, part: Reasoning | undefined, { plain }: WriteReasoning): JsonObject {
  if (text === "") return {};
  const { $as: hint } = part ? hintsOf(part, family) : {};
  const hinted = Array.isArray(hint) ? plain.filter(member => hint.includes(member)) : [];
  const members = hinted.length > 0 ? hinted : plain.slice(0, 1);
  return Object.fromEntries(members.map(member => [member, text]));
}

function writeDetail(part: Reasoning, place: number, { isSent, lose }: WriteReasoning): Json {
  if (part.type === "opaque") return part.value;
  const hints = hintsOf(part, family);
  const { $type: hint } = hints;
  const type = typeof hint === "string" ? hint : writeType({ text: part.text, isSummary: part.summary === true });
  const member = rowOf(textMembers, type);
  const hasFormat = hints["$format"] === false || Object.hasOwn(hints, "format");
  const fields = present({
    type,
    ...(member !== undefined && part.text !== undefined && { [member]: part.text }),
    id: part.id,
    format: part.seal && !hasFormat ? formatBy(part.seal.maker).format : undefined,
    ...writeSeal(part.seal, type),
  });
  const detail = restored(fields, part, family);
  const { seal, id } = readSeal(new Reader(detail));
  if (equalJson(seal, part.seal) && id === part.id) return detail;
  if (isSent) {
    const lost = valuesBeside(part, { seal, id: detail["id"] });
    if (lost.length > 0) lose("seal-value", place, lost.join(", "));
    return detail;
  }
  return { ...detail, translogue: part.seal as unknown as Json }; // a seal is JSON
}

/** Names of what the detail says otherwise or not at all; where a seal came from a host need not be told. */
function valuesBeside(
  part: ReasoningPart,
  said: { readonly seal: Seal | undefined; readonly id: Json | undefined },
): string[] {
  const lost = Object.entries(part.seal?.values ?? {}).filter(([name, value]) => said.seal?.values[name] !== value);
  return [...lost.map(([name]) => name), ...(part.id !== undefined && part.id !== said.id ? ["id"] : [])];
}

/** Values under the detail's names; a maker that has one value for both puts it where the type of detail has it. */
function writeSeal(seal: Seal | undefined, type: string): JsonObject {
  if (!seal) return {};
  const names = formatBy(seal.maker);
  const isShared = names.signature === names.data;
  const isData = type === "reasoning.encrypted";
  return present({
    signature: isShared && isData ? undefined : seal.values[names.signature],
    data: isShared && !isData ? undefined : seal.values[names.data],
    ...(seal.values["id"] !== undefined && { id: seal.values["id"] }),
  });
}
