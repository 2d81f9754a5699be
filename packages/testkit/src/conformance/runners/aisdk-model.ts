import { decode, encode, isJsonObject, type Json, type Loss } from "translogue";
import { type ModelTool, toModelMessages, toUIMessages } from "translogue/ai-sdk-model";
import { deepFreeze, difference } from "../../difference.ts";
import { type Generation, generations, refusedMessages } from "../../generations.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import { messagesCase } from "./aisdk.ts";
import { loopCase } from "./aisdk-loop.ts";
import { Allowances, type ModelRule } from "./aisdk-model-allowances.ts";
import { untag } from "./tags.ts";

const format = "ai-sdk-model";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

/** UI messages ↔ model messages ↔ prompts, and real runs of the loop. */
export const aisdkModel: Runner = {
  name: "aisdk model messages",
  reads: file => file.folder === "aisdk" && (file.kind === "convert" || file.kind === "loop"),
  async *run(file) {
    for (const each of casesOf(file)) {
      const given = each["messages"] ?? each["uiMessages"];
      if (Array.isArray(given) && isUi(given)) yield await messagesCase(file, each, untag(given));
      if (file.kind === "convert") yield* convertCase(each);
      else yield* loopCase(each);
    }
  },
};

const isUi = (messages: readonly Json[]): boolean =>
  messages.every(message => isJsonObject(message) && Array.isArray(message["parts"]));

async function* convertCase(each: Case): AsyncIterable<CaseResult> {
  const out = isJsonObject(each["out"]) ? each["out"] : {};
  const prompts = isJsonObject(each["prompts"]) ? each["prompts"] : {};
  for (const key of Object.keys(out)) {
    const [version = "", flag] = key.split("+");
    const generation = generations.find(name => name === version);
    if (!generation) continue;
    const about = { format: `${format} convert`, name: `${each.name} ${key}` };
    const theirs = untag(out[key] ?? null);
    if (!Array.isArray(theirs)) {
      yield { ...about, outcome: { status: "set-aside", rule: "refused by the SDK" } };
      continue;
    }
    const rules = new Set<ModelRule>();
    const losses: Loss[] = [];
    const place = { each, generation, theirs, rules, losses };
    yield await claims(
      about,
      [
        () => agrees(place, flag !== undefined),
        () => modelAgain(theirs, generation),
        () => thereAndBack(theirs, place),
        ...(flag === undefined ? [() => promptAgrees(untag(prompts[key] ?? null), place)] : []),
      ],
      losses,
    );
    for (const rule of rules) yield { ...about, outcome: { status: "set-aside", rule } };
  }
}

interface Place {
  readonly each: Case;
  readonly generation: Generation;
  /** What the SDK made of the messages. */
  readonly theirs: Json;
  readonly rules: Set<ModelRule>;
  readonly losses: Loss[];
}

/** Ours is what the SDK makes of the UI messages, but for the rules. */
async function agrees(
  { each, generation, theirs, rules, losses }: Place,
  ignores: boolean,
): Promise<string | undefined> {
  const given = deepFreeze(untag(each["messages"] ?? null));
  const allowances = new Allowances(generation, given, rules);
  const options = isJsonObject(each["options"]) ? each["options"] : {};
  const converter = converterOf(options["convertDataPart"]);
  const result = await toModelMessages(allowances.input(), {
    version: generation,
    ignoreIncompleteToolCalls: ignores,
    ...(converter && { convertDataPart: converter }),
    tools: toolsOf(options["tools"], generation),
  });
  losses.push(...result.losses);
  const ours = JSON.parse(JSON.stringify(result.messages)) as Json; // messages are JSON
  const plain = difference(ours, theirs);
  if (plain === undefined) return undefined;
  const allowed = difference(...allowances.pair(ours, theirs));
  return allowed === undefined ? undefined : `toModelMessages as ${generation}: ${allowed}`;
}

type Converter = (part: { readonly [member: string]: Json }) => Json | undefined;

function converterOf(kind: Json | undefined): Converter | undefined {
  if (kind === undefined) return undefined;
  if (kind === "never") return () => undefined;
  if (kind === "json-text") return part => ({ type: "text", text: JSON.stringify(part["data"]) });
  return ({ type, data }) => {
    if (type === "data-url")
      return { type: "text", text: `[${String(at(data, "title"))}](${String(at(data, "url"))})` };
    if (type !== "data-file") return undefined;
    return { type: "file", mediaType: at(data, "mediaType") ?? null, data: at(data, "data") ?? null };
  };
}

/** Tools that say what the case says, or what they were given. */
function toolsOf(given: Json | undefined, generation: Generation): { [name: string]: ModelTool } {
  const list = Array.isArray(given) ? given.filter(isJsonObject) : [];
  const tools: { [name: string]: ModelTool } = {};
  for (const { name, toModelOutput: said } of list) {
    const shown = (about: unknown): unknown =>
      generation === "v5"
        ? { type: "json", value: { given: "output itself", output: about } }
        : { type: "json", value: { given: Object.keys(about as object), ...(about as object) } }; // what the tool is given
    const toModelOutput = said === "arguments" ? shown : () => said;
    tools[String(name)] = said === undefined ? {} : { toModelOutput };
  }
  return tools;
}

/** What the SDK wrote comes back from us as it was. */
export function modelAgain(messages: Json, generation: Generation): string | undefined {
  const to = `${format}:${generation}` as const;
  const { conversation } = decode(deepFreeze(messages), { from: to, shape: "messages" });
  const { value, losses } = encode(conversation, { to, shape: "messages", recipient: "store", carry: false });
  const reason = difference(value, messages) ?? (losses.length > 0 ? `loses ${losses[0]?.code}` : undefined);
  return reason === undefined ? undefined : `model messages decoded and encoded as ${generation}: ${reason}`;
}

/** Model messages as UI messages, which the SDK takes, and back again. */
async function thereAndBack(messages: Json, { generation, rules, each }: Place): Promise<string | undefined> {
  const there = toUIMessages(messages, { version: generation });
  if (there.messages.length > 0) {
    const refused = await refusedMessages(generation, there.messages as Json); // UI messages are JSON
    if (refused !== undefined) return `written as UI messages: ${refused}`;
  }
  const back = await toModelMessages(there.messages, { version: generation });
  const ours = JSON.parse(JSON.stringify(back.messages)) as Json; // messages are JSON
  if (difference(ours, messages) === undefined) return undefined;
  const allowances = new Allowances(generation, untag(each["messages"] ?? null), rules);
  const reason = difference(...allowances.back(ours, messages));
  return reason === undefined ? undefined : `as UI messages and back: ${reason}`;
}

/** The prompt that we write of the SDK's model messages is the one that it hands to the model, but for the rules. */
function promptAgrees(prompt: Json, { generation, theirs, rules, each }: Place): string | undefined {
  if (!Array.isArray(prompt)) return undefined;
  const to = `ai-sdk-prompt:${promptVersions[generation]}` as const;
  const again = promptAgain(prompt, generation);
  if (again !== undefined) return again;
  const { conversation } = decode(theirs, { from: `${format}:${generation}`, shape: "messages" });
  const { value } = encode(conversation, { to, shape: "messages", recipient: "provider" });
  if (difference(value, prompt) === undefined) return undefined;
  const allowances = new Allowances(generation, untag(each["messages"] ?? null), rules);
  const reason = difference(...allowances.prompts(value as Json, prompt)); // the codec writes JSON
  return reason === undefined ? undefined : `the prompt for ${to}: ${reason}`;
}

export const promptVersions = { v5: "v2", v6: "v3", v7: "v4" } as const;

/** A prompt of the SDK's comes back from us as it was. */
function promptAgain(prompt: Json, generation: Generation): string | undefined {
  const to = `ai-sdk-prompt:${promptVersions[generation]}` as const;
  const { conversation } = decode(deepFreeze(prompt), { from: to, shape: "messages" });
  const { value, losses } = encode(conversation, { to, shape: "messages", recipient: "store", carry: false });
  const reason = difference(value, prompt) ?? (losses.length > 0 ? `loses ${losses[0]?.code}` : undefined);
  return reason === undefined ? undefined : `a prompt decoded and encoded as ${to}: ${reason}`;
}

const at = (value: Json | undefined, key: string): Json | undefined => (isJsonObject(value) ? value[key] : undefined);
