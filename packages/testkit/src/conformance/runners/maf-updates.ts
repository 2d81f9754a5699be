import { type ExactText, isJsonObject, type Json, type JsonObject } from "translogue";
import {
  addResponse,
  addUpdate,
  addUpdates,
  asAgentResponse,
  asAgentResponseUpdate,
  asChatResponse,
  asChatResponseUpdate,
  readMaf,
  textOfMaf,
  toAgentResponse,
  toAgentResponseUpdates,
  toChatResponse,
  toChatResponseUpdates,
  writeMaf,
} from "translogue/maf";
import { deepFreeze } from "../../difference.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";

interface Case {
  readonly name: string;
  readonly [member: string]: Json | undefined;
}
interface About {
  readonly format: string;
  readonly name: string;
}
type Claim = () => string | undefined;

const format = "maf updates";

/** Updates → response and back, the agent's forms, and lists that responses and updates are added to: .NET's text, byte for byte. */
export const mafUpdates: Runner = {
  name: format,
  reads: file => file.folder === "maf" && file.kind !== undefined && Object.hasOwn(kinds, file.kind),
  async *run(file) {
    const run = kinds[file.kind ?? ""];
    for (const each of casesOf(file)) if (run) yield* run({ format, name: `${file.kind} ${each.name}` }, each);
  },
};

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

const kinds: { readonly [kind: string]: (about: About, each: Case) => AsyncIterable<CaseResult> } = {
  coalesce: async function* (about, each) {
    yield await refusedOr(about, each["error"], [
      () => {
        const { updates, exact } = chatUpdates(each);
        const response = toChatResponse(updates, exact);
        return (
          unequal(written("ChatResponse", response, exact), each["toChatResponse"]) ??
          unequal(textOfMaf(response), each["text"] ?? textOfMaf(response))
        );
      },
    ]);
  },
  split: async function* (about, each) {
    const { response, agentResponse, update } = each;
    if (update !== undefined) {
      // A clone in .NET; plain JSON is its own.
      yield await claims(about, [() => unequal(rewritten("ChatResponseUpdate", update), each["clone"])]);
      return;
    }
    yield await refusedOr(about, each["error"], [() => splitChat(each, response ?? null)]);
    if (agentResponse === undefined) return;
    yield await refusedOr({ ...about, name: `${about.name} (agent)` }, each["agentError"], [
      () => splitAgent(each, agentResponse),
    ]);
  },
  "agent-coalesce": async function* (about, each) {
    if (each["updates"] !== undefined) yield await refusedOr(about, each["error"], [() => agentUpdates(each)]);
    else if (each["chatUpdates"] !== undefined) yield* fromChatUpdates(about, each);
    else if (each["agentResponse"] !== undefined) yield* agentResponse(about, each);
    else yield* fromChatResponse(about, each);
  },
  "add-messages": async function* (about, each) {
    yield await refusedOr(about, each["error"], [() => unequal(added(each), each["out"])]);
  },
};

/** Where .NET throws, so must ours; else all must hold. */
async function refusedOr(about: About, error: Json | undefined, list: readonly Claim[]): Promise<CaseResult> {
  if (error === undefined) return await claims(about, list);
  return await claims(about, [
    () => {
      try {
        for (const claim of list) claim();
      } catch {
        return undefined;
      }
      return `.NET refuses it (${JSON.stringify(error)}), ours does not`;
    },
  ]);
}

const unequal = (ours: string, theirs: Json | undefined): string | undefined =>
  ours === theirs ? undefined : `got ${ours}, expected ${typeof theirs === "string" ? theirs : JSON.stringify(theirs)}`;

interface Read {
  readonly value: JsonObject;
  readonly exact: ExactText;
}

function read(type: string, json: Json): Read {
  const { value, exact } = readMaf(JSON.stringify(json), { type, strict: true });
  return { value: deepFreeze(value) as JsonObject, exact }; // a function here that is given anything else says so
}

const written = (type: string, value: Json, exact?: ExactText): string =>
  writeMaf({ value, ...(exact && { exact }) }, { type });

function rewritten(type: string, json: Json): string {
  const { value, exact } = read(type, json);
  return written(type, value, exact);
}

interface Updates {
  readonly updates: readonly JsonObject[];
  readonly exact: ExactText;
}

/** All updates from one text, so that their numbers keep their spelling. */
function updatesOf(type: string, texts: readonly string[]): Updates {
  const { value, exact } = readMaf(`[${texts.join(",")}]`, { type: `List<${type}>`, strict: true });
  return { updates: deepFreeze(value) as readonly JsonObject[], exact }; // a list was read; whatever is no update must be refused
}

const textsOf = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? value : []).map(item => JSON.stringify(item));

function chatUpdates(each: Case): Updates {
  const { updatesText } = each;
  const texts = Array.isArray(updatesText) ? updatesText.map(String) : textsOf(each["updates"]);
  const { updates, exact } = updatesOf("ChatResponseUpdate", texts);
  return { updates: each["placeholders"] === true ? updates.map(withUnits) : updates, exact };
}

/** `⟪XXXX⟫` stands for a UTF-16 unit that JSON's readers refuse alone. */
const withUnits = (update: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(update), (_, value: Json) =>
    typeof value === "string"
      ? value.replace(/⟪([\dA-F]{4})⟫/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : value,
  ) as JsonObject; // an object it was

const listText = (type: string, updates: readonly JsonObject[], exact: ExactText): string =>
  JSON.stringify(updates.map(update => written(type, update, exact)));

function splitChat(each: Case, response: Json): string | undefined {
  const { value, exact } = read("ChatResponse", response);
  const updates = toChatResponseUpdates(value);
  const again = written("ChatResponse", toChatResponse(updates, exact), exact);
  return (
    unequal(listText("ChatResponseUpdate", updates, exact), JSON.stringify(each["updates"])) ??
    unequal(written("ChatResponse", value, exact), each["written"] ?? again) ??
    unequal(again, each["recoalesced"] ?? written("ChatResponse", value, exact))
  );
}

function splitAgent(each: Case, response: Json): string | undefined {
  const { value, exact } = read("AgentResponse", response);
  const updates = toAgentResponseUpdates(value);
  const again = written("AgentResponse", toAgentResponse(updates, exact), exact);
  return (
    unequal(listText("AgentResponseUpdate", updates, exact), JSON.stringify(each["agentUpdates"])) ??
    unequal(written("AgentResponse", value, exact), each["agentWritten"] ?? again) ??
    unequal(again, each["agentRecoalesced"] ?? written("AgentResponse", value, exact))
  );
}

function agentUpdates(each: Case): string | undefined {
  const { updates, exact } = updatesOf("AgentResponseUpdate", textsOf(each["updates"]));
  const response = toAgentResponse(updates, exact);
  return (
    unequal(written("AgentResponse", response, exact), each["toAgentResponse"]) ??
    unequal(textOfMaf(response), each["text"]) ??
    unequal(written("ChatResponse", asChatResponse(response), exact), each["asChatResponse"]) ??
    unequal(
      listText("ChatResponseUpdate", updates.map(asChatResponseUpdate), exact),
      JSON.stringify(each["asChatResponseUpdates"]),
    )
  );
}

/** What the case then assigns to an update or response that was made of another. */
const assigned = (value: JsonObject, set: Json | undefined): JsonObject => {
  const { rawRepresentation, ...members } = isJsonObject(set) ? set : {};
  void rawRepresentation; // JSON has none
  return { ...value, ...members };
};

/** An update of JSON has no raw representation: where .NET looks at that instead of the edits, ours looks at the edits. */
async function* fromChatUpdates(about: About, each: Case): AsyncIterable<CaseResult> {
  const sets = Array.isArray(each["set"]) ? (each["set"] as readonly Json[]) : []; // an array of JSON
  const { updates, exact } = updatesOf("ChatResponseUpdate", textsOf(each["chatUpdates"]));
  const agent = updates.map((update, index) => assigned(asAgentResponseUpdate(update), sets[index]));
  yield await claims(about, [
    () => unequal(listText("AgentResponseUpdate", agent, exact), JSON.stringify(each["agentUpdates"])),
  ]);
  const ignoresEdits = sets.some(set => isJsonObject(set) && set["rawRepresentation"] !== null);
  if (ignoresEdits) {
    const name = `${about.name} (combined)`;
    yield { ...about, name, outcome: { status: "set-aside", rule: "maf raw representation" } };
    return;
  }
  yield await claims(about, [
    () => unequal(written("AgentResponse", toAgentResponse(agent, exact), exact), each["toAgentResponse"]),
  ]);
}

async function* agentResponse(about: About, each: Case): AsyncIterable<CaseResult> {
  yield await claims(about, [
    () => {
      const { value, exact } = read("AgentResponse", each["agentResponse"] ?? null);
      return unequal(written("ChatResponse", asChatResponse(value), exact), each["asChatResponse"]);
    },
  ]);
  if (each["typed"] === undefined) return;
  yield { ...about, name: `${about.name} (typed)`, outcome: { status: "set-aside", rule: "maf typed answers" } };
}

async function* fromChatResponse(about: About, each: Case): AsyncIterable<CaseResult> {
  const { value, exact } = read("ChatResponse", each["chatResponse"] ?? null);
  const agent = assigned(asAgentResponse(value), each["set"]);
  yield await claims(about, [() => unequal(written("AgentResponse", agent, exact), each["agentResponseWritten"])]);
  yield { ...about, name: `${about.name} (back)`, outcome: { status: "set-aside", rule: "maf raw representation" } };
}

function added(each: Case): string {
  const list = each["list"];
  const messages = Array.isArray(list)
    ? (readMaf(JSON.stringify(list), { type: "List<ChatMessage>", strict: true }).value as readonly Json[])
    : list; // a list was given
  return written("List<ChatMessage>", [...addedTo(deepFreeze(messages) as readonly Json[], each)]); // the functions refuse what is no list
}

function addedTo(list: readonly Json[], each: Case): readonly Json[] {
  const { update, keep, updates } = each;
  if (updates !== undefined) return addUpdates(list, updatesOf("ChatResponseUpdate", textsOf(updates)).updates);
  if (update === undefined) return addResponse(list, read("ChatResponse", each["response"] ?? null).value);
  const { value } = read("ChatResponseUpdate", update);
  if (!Array.isArray(keep)) return addUpdate(list, value);
  const kindOf = (content: Json): Json => (isJsonObject(content) ? (content["$type"] ?? "") : null);
  return addUpdate(list, value, content => keep.includes(kindOf(content) as string)); // a list of kinds
}
