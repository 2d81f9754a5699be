import { Reader } from "../../codec/reader.ts";
import { hintsOf, kept } from "../../codec/remainder.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Node, Part, ReasoningPart } from "../../model/parts.ts";
import { isCallType, isResultType, readCall, readResult, readSeal, type StepFrom, sideOf } from "./calls.ts";
import { isContent, readContent, readError } from "./contents.ts";
import { carryMember, envelopeMembers, family, hinted, type ReadScope, stepMember } from "./wire.ts";

/** What a step says: the side whose turn it is, and its parts with their numbers in it, by which a stream's parts sort (E4). */
export interface ReadStep {
  readonly role: string;
  readonly parts: readonly Part[];
  /** Of a step that is a message of its own. */
  readonly native?: NonNullable<Node["native"]>;
  /** Results and what a user says beside them are messages of their own; these follow the first. */
  readonly others?: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly carry?: Json;
}

/** How many numbers of parts a step has. */
export const stepPlaces = 1 << 16;

/** The number of a part among those of all steps. */
export const placeOf = (step: number, number: number): number => step * stepPlaces + number;

type ReadOne = (reader: Reader, from: StepFrom) => ReadStep | undefined;

/** A step. `index`: its number in its list. */
export function readStep(wire: Json, index: number, path: Path, scope: ReadScope): ReadStep {
  if (!isJsonObject(wire)) return unknown(wire, path, scope);
  const { [carryMember]: carry, ...step } = wire;
  const isCarry = isJsonObject(carry) && carry["v"] === 1 && typeof carry["base"] === "string";
  const read = readOne(isCarry ? step : wire, { index, path, scope });
  return isCarry ? { ...read, carry } : read;
}

function readOne(wire: JsonObject, from: StepFrom): ReadStep {
  const { path, scope } = from;
  const { type } = wire;
  if (typeof type === "string" && isCallType(type)) return single("assistant", readCall(wire, type, from), wire, from);
  if (typeof type === "string" && isResultType(type)) {
    return single(sideOf(type), readResult(wire, type, from), wire, from);
  }
  const reader = new Reader(wire);
  reader.take("type");
  const known = typeof type === "string" && Object.hasOwn(readers, type) ? readers[type]?.(reader, from) : undefined;
  return known ?? unknown(wire, path, scope);
}

function unknown(value: Json, path: Path, scope: ReadScope): ReadStep {
  scope.issue("unknown-step", path, "this step is not known, or lacks what its type needs; kept as it is");
  return { role: "assistant", parts: [{ type: "opaque", family, value }] };
}

const single = (role: string, part: Part | undefined, wire: JsonObject, { path, scope }: StepFrom): ReadStep =>
  part ? { role, parts: [part] } : unknown(wire, path, scope);

const readers: { readonly [type: string]: ReadOne } = {
  model_output: readOutputStep,
  thought: readThought,
  user_input: readInputStep,
};

function readOutputStep(reader: Reader, { path, scope }: StepFrom): ReadStep | undefined {
  const list = reader.array("content");
  if (!list && reader.peek("content") !== undefined) return undefined;
  const contents = (list ?? []).map((each, index) => {
    const part = readContent(each, [...path, "content", index], scope);
    return part.type === "opaque" ? hinted(part, { $in: "output" }) : part;
  });
  const error = reader.json("error");
  const parts = error === undefined ? contents : [...contents, hinted(readError(error, "number"), { $in: "step" })];
  const isEmpty = contents.length === 0;
  const all: readonly Part[] = parts.length > 0 ? parts : [{ type: "text", text: "" }];
  const hints = isEmpty && (error === undefined || list) ? { $content: list ? "none" : false } : {};
  return { role: "assistant", parts: ended(all, kept(family, reader.rest(), hints)) };
}

/** What the step says beside its parts stands on the last of them. */
function ended(parts: readonly Part[], { native }: Pick<Node, "native">): readonly Part[] {
  const step = native?.[family];
  if (!step) return parts;
  return parts.map((part, index) => (index === parts.length - 1 ? hinted(part, { [stepMember]: step }) : part));
}

function readThought(reader: Reader, from: StepFrom): ReadStep | undefined {
  const { path, scope } = from;
  const list = reader.array("summary");
  if (!list && reader.peek("summary") !== undefined) return undefined;
  const entries = (list ?? []).map((each, index) => readSummary(each, [...path, "summary", index], scope));
  const seal = readSeal(reader, scope);
  const hidden: ReasoningPart = { type: "reasoning" };
  const parts: readonly Part[] = entries.length > 0 ? entries : [hidden];
  const sealed = parts.map((part, index) => (seal && index === parts.length - 1 ? { ...part, seal } : part));
  return {
    role: "assistant",
    parts: ended(sealed, kept(family, reader.rest(), list?.length === 0 ? { $content: "none" } : {})),
  };
}

function readSummary(wire: Json, path: Path, scope: ReadScope): Part {
  const part = readContent(wire, path, scope);
  if (part.type === "file") return { ...part, reasoning: true } satisfies FilePart;
  if (part.type !== "text") return hinted(part, { $in: "thought" });
  const { citations, type: _, ...others } = part;
  const list = isJsonObject(wire) ? wire["annotations"] : undefined;
  const entry: ReasoningPart = { ...others, type: "reasoning", summary: true };
  // Nothing but text is cited: annotations of a summary are its remainder.
  return citations && list !== undefined ? hinted(entry, { annotations: list }) : entry;
}

/** What a user says; results of functions stand among it too, as some clients send them. */
function readInputStep(reader: Reader, from: StepFrom): ReadStep | undefined {
  const list = reader.array("content");
  if (!list && reader.peek("content") !== undefined) return undefined;
  const sides: { role: string; parts: Part[] }[] = [];
  for (const [index, each] of (list ?? []).entries()) {
    const place = [...from.path, "content", index];
    const result = isJsonObject(each) && each["type"] === "function_result" ? each : undefined;
    const read = result && readResult(result, "function_result", { ...from, path: place });
    const role = read ? "tool" : "user";
    const part = read ?? readContent(each, place, from.scope);
    const last = sides.at(-1);
    if (last?.role === role) last.parts.push(part);
    else sides.push({ role, parts: [part] });
  }
  const [first = { role: "user", parts: [] }, ...others] = sides;
  const hints = { ...(!list && { $content: false }), ...(first.role === "tool" && { $in: "user_input" }) };
  return { ...first, ...kept(family, reader.rest(), hints, envelopeMembers), others };
}

// lists

export interface Placed {
  /** Number among the parts of the list. */
  readonly place: number;
  readonly part: Part;
}

export interface ReadMessage {
  readonly head: MessageHead;
  readonly parts: readonly Placed[];
  readonly carry: Json | undefined;
}

const isJoined = ({ role, native }: { readonly role: string; readonly native?: Node["native"] }): boolean =>
  (role === "assistant" || role === "tool") && !native;

/** The messages of a list of steps. They have no borders: neighbours of one side are one message (R15); a carry begins one. */
export function readSteps(list: readonly Json[], scope: ReadScope, pathOf: (index: number) => Path): ReadMessage[] {
  const messages: { head: MessageHead; parts: Placed[]; carry: Json | undefined }[] = [];
  let open: (typeof messages)[number] | undefined;
  for (const [index, wire] of list.entries()) {
    const step = readStep(wire, index, pathOf(index), scope);
    const isMore = open?.head.role === step.role && isJoined(step) && step.carry === undefined;
    const before = isMore ? open?.parts.at(-1)?.part : undefined;
    const parts = isJoined(step) ? numbered(step.parts, index, before) : placedAt(step.parts, index);
    if (isMore && open) {
      open.parts.push(...parts);
      continue;
    }
    const { role, native, carry, others = [] } = step;
    const message = { head: { role, ...(native && { native }) }, parts: [...parts], carry };
    messages.push(message);
    let place = parts.length;
    for (const side of others) {
      const own = side.parts.map(part => ({ place: placeOf(index, place++), part }));
      messages.push({ head: { role: side.role, native: { [family]: { $join: true } } }, parts: own, carry: undefined });
    }
    open = isJoined(step) ? message : undefined;
  }
  return messages;
}

/** The parts of a step with their places. `before`: the part of the same message that the step follows. */
function numbered(parts: readonly Part[], index: number, before: Part | undefined): Placed[] {
  let last = before;
  return parts.map((part, number) => {
    const spelled = withStep(part, number, last);
    last = part;
    return { place: placeOf(index, number), part: spelled };
  });
}

/** The part of this number in its step; where it would be taken for one of another step it says which it is of. */
export const withStep = (part: Part, number: number, before: Part | undefined): Part =>
  joins(before, part) === number > 0 ? part : hinted(part, { $step: number > 0 ? "same" : "new" });

const placedAt = (parts: readonly Part[], index: number): Placed[] =>
  parts.map((part, number) => ({ place: placeOf(index, number), part }));

/** Which step a part is of. */
export function groupOf(part: Part): "output" | "thought" | "own" {
  switch (part.type) {
    case "text":
    case "refusal":
    case "compaction":
    case "error":
      return "output";
    case "file":
      return part.reasoning ? "thought" : "output";
    case "reasoning":
      return "thought";
    case "opaque":
      return groupIn(hintsOf(part, family)["$in"]);
    default:
      return "own";
  }
}

const groupIn = (told: Json | undefined): "output" | "thought" | "own" =>
  told === "output" || told === "thought" ? told : "own";

const isWords = ({ type }: Part): boolean => type === "text" || type === "refusal" || type === "compaction";

/**
 * Whether a part usually stands in the step of the one before it: files stand with texts, while a text after a text begins
 * another step, as the deltas of a stream could not tell the two apart.
 */
export function joins(before: Part | undefined, part: Part): boolean {
  if (!before || groupOf(before) !== "output" || groupOf(part) !== "output") return false;
  return before.type !== "error" && !(isWords(before) && isWords(part));
}

/** Contents that stand where steps do: all of them are one thing that a user says. */
export const isContents = (list: readonly Json[]): boolean => list.length > 0 && list.every(isContent);
