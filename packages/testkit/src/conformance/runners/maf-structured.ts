import {
  type AgentResponse,
  createAgent,
  type ModelRequest,
  type NamedFormat,
  type RunOptions,
  typed,
} from "@translogue/agent";
import { encode, isError, isJsonObject, type Json, type JsonObject } from "translogue";
import { readChatOptions, writeChatOptions } from "translogue/maf";
import { difference } from "../../difference.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import type { MafAgentRule } from "../rules/maf-agents.ts";
import { dotnetType } from "./maf-dotnet-types.ts";
import { type Case, objectIn, objects } from "./maf-loop-compared.ts";
import { scriptedModel, stage } from "./maf-script.ts";

/** Typed answers: the format that is asked for, and what is read of the answer, as the original does it of .NET's types. */
export const mafStructured: Runner = {
  name: "maf structured",
  reads: file => file.folder === "maf" && file.kind === "structured",
  async *run(file) {
    const { cases, types } = contentOf(file);
    for (const each of cases) yield* runCase(each, new Types(cases, types));
  },
};

interface Content {
  readonly cases: readonly Case[];
  readonly types: JsonObject;
}

const contentOf = (file: FixtureFile): Content => JSON.parse(file.read()) as Content; // as its `about` says

/** The types that the cases name: their schemas stand in the cases that ask for them. */
class Types {
  readonly #cases: readonly Case[];
  readonly #declared: JsonObject;

  constructor(cases: readonly Case[], declared: JsonObject) {
    this.#cases = cases;
    this.#declared = declared;
  }

  of(each: Case): NamedFormat<unknown> {
    const type = String(each["type"]);
    const schema = this.#schema(each) ?? {};
    const generic = type.replace(/<.*>/, "<T>");
    const declared = String(this.#declared[type] ?? this.#declared[generic] ?? type);
    const { schemaName: name, schemaDescription: description } = each.out;
    return {
      schema: dotnetType(schema, declared),
      jsonSchema: schema,
      ...(typeof name === "string" && { name }),
      ...(typeof description === "string" && { description }),
    };
  }

  /** Of the type itself, whatever object it is sent in. */
  #schema(each: Case): JsonObject | undefined {
    const isOwn = (one: Case): boolean => one["type"] === each["type"] && hasOwnSchema(one);
    return unwrapped(hasOwnSchema(each) ? each : this.#cases.find(isOwn));
  }
}

/** Not one that stands in the options, nor in the words of a message. */
const hasOwnSchema = ({ out, options }: Case): boolean =>
  typeof out["schema"] === "string" && objectIn(asObject(options), "responseFormat")["$type"] === undefined;

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

function unwrapped(each: Case | undefined): JsonObject | undefined {
  const schema: unknown = JSON.parse(String(each?.out["schema"] ?? "null"));
  if (!isJsonObject(schema)) return undefined;
  const { data } = asObject(schema["properties"]);
  const isWrapped = each?.["type"] !== "SData" && isJsonObject(data) && schema["additionalProperties"] === false;
  return isWrapped ? data : schema;
}

interface Seen {
  readonly requests: readonly ModelRequest[];
  /** Where there is an answer to read. */
  readonly response?: AgentResponse;
}

async function* runCase(each: Case, types: Types): AsyncIterable<CaseResult> {
  const about = { format: "maf structured", name: each.name };
  if (String(each["via"]).includes("useJsonSchemaResponseFormat: false")) {
    yield { ...about, outcome: { status: "set-aside", rule: "maf schema in words" } };
    return;
  }
  const seen = await perform(each, types);
  const rule = excuse(each, seen);
  if (rule) yield { ...about, name: `${about.name} (${rule})`, outcome: { status: "set-aside", rule } };
  const isMoved = String(each.out["schema"]).includes('"$ref"') && each.out["isWrappedInObject"] === true;
  if (isMoved) yield { ...about, outcome: { status: "set-aside", rule: "maf moved references" } };
  yield await claims(about, [
    ...(isMoved ? [] : [() => comparedFormat(each, seen)]),
    () => comparedOptions(each, seen),
    () => comparedMessages(each, seen),
    ...(rule ? [] : [() => comparedResult(each, seen)]),
  ]);
}

async function perform(each: Case, types: Types): Promise<Seen> {
  const on = stage();
  const script = each["script"] ?? [{ response: { messages: [] } }];
  const { name, chatOptions } = asObject(each["agent"]);
  const agent = createAgent({
    model: scriptedModel(script, on),
    settings: readChatOptions(asObject(chatOptions)).settings ?? {},
    // A case without one takes the file's, which is called so.
    name: typeof name === "string" ? name : "Bot",
  });
  const { chatOptions: ofRun, responseFormat } = asObject(each["options"]);
  const { settings = {} } = readChatOptions(asObject(ofRun));
  const format = types.of(each);
  const options: RunOptions = {
    settings,
    responseFormat: isJsonObject(responseFormat) ? asGiven(responseFormat) : format,
  };
  if (String(each["via"]).startsWith("ChatResponseFormat")) {
    const { jsonSchema = {}, schema: _, ...named } = format;
    await agent.run("Question", { responseFormat: { type: "json", schema: jsonSchema, ...named } });
    return { requests: on.requests };
  }
  const response = await agent.run("Question", options);
  if (!isJsonObject(responseFormat)) return { requests: on.requests, response };
  return { requests: on.requests, response: await typed(response, { ...format, jsonSchema: { type: "object" } }) };
}

const asGiven = (responseFormat: JsonObject): NonNullable<RunOptions["responseFormat"]> =>
  readChatOptions({ responseFormat }).settings?.responseFormat ?? "text";

function comparedFormat({ out }: Case, { requests }: Seen): string | undefined {
  const { settings } = requests[0]?.conversation ?? {};
  const { responseFormat } = writeChatOptions(settings ? { settings } : {});
  const expected: unknown = JSON.parse(String(out["responseFormat"]));
  const why = difference(responseFormat, expected);
  return why && `format: ${why}`;
}

function comparedOptions({ out }: Case, { requests }: Seen): string | undefined {
  if (!isJsonObject(out["options"])) return undefined;
  const { settings } = requests[0]?.conversation ?? {};
  const { responseFormat: _, ...options } = writeChatOptions(settings ? { settings } : {});
  const why = difference(options, out["options"]);
  return why && `options: ${why}`;
}

function comparedMessages({ out }: Case, { response }: Seen): string | undefined {
  if (typeof out["response"] !== "string" || !response) return undefined;
  const own = encode({ messages: response.messages }, { to: "maf", shape: "messages" }).value as Json; // a list of JSON
  const heads = (messages: Json | undefined) =>
    objects(messages)
      .map(({ role, authorName, contents }) => ({ role, authorName, contents: contents ?? [] }))
      .filter(({ contents }) => objects(contents).length > 0);
  const theirs: unknown = JSON.parse(out["response"]);
  const hasName =
    isJsonObject(theirs) && objects(theirs["messages"]).some(({ authorName }) => authorName !== undefined);
  const named = heads(own).map(head => (hasName ? head : { ...head, authorName: undefined }));
  const why = difference(named, isJsonObject(theirs) ? heads(theirs["messages"]) : []);
  return why && `response: ${why}`;
}

/** Why ours reads what the original refuses. */
function excuse({ out, via, script }: Case, { response }: Seen): MafAgentRule | undefined {
  if (out["error"] === undefined || !response?.tryResult().ok) return undefined;
  const texts = objects(script).flatMap(entry => objects(objectIn(entry, "response")["messages"]));
  if (texts.length > 1) return "maf earlier texts";
  const isBare = /^\s*[^{\s]/.test(response.text);
  if (String(via).startsWith("IChatClient") && isBare) return "maf bare values";
  const { text } = response;
  if (!isWhole(text) && (out["isWrappedInObject"] === true || isAmongWords(text))) return "maf text around values";
  return /"integer"/.test(String(out["schema"])) && hasSpelledInteger(text) ? "maf spelled integers" : undefined;
}

/** Whether a text has one value in JSON, and something around it. */
const isAmongWords = (text: string): boolean =>
  isWhole(text.slice(text.search(/[{[]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1));

/** A whole number with a point or an exponent, which JavaScript's readers do not tell from others. */
const hasSpelledInteger = (text: string): boolean =>
  (text.match(/[\s:[,]-?\d[\d.eE+-]*/g) ?? []).some(found => {
    const spelled = found.slice(1);
    return /[.eE]/.test(spelled) && Number.isInteger(Number(spelled));
  });

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function comparedResult({ out }: Case, { response }: Seen): string | undefined {
  const { result, error } = out;
  if (!response || (result === undefined && error === undefined)) return undefined;
  const ours = response.tryResult();
  if (error !== undefined) return ours.ok ? `ours reads ${JSON.stringify(ours.value)}: ${String(error)}` : undefined;
  if (!ours.ok) return isError(ours.error) ? `ours refuses: ${ours.error.message}` : "ours refuses";
  const why = difference(dated(ours.value as Json), dated(JSON.parse(String(result)) as Json)); // both are JSON
  return why && `result: ${why}`;
}

/** Moments, however they are spelt. */
const dated = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(dated);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, dated(member)]));
  const isMoment = typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);
  return isMoment ? new Date(value).toISOString() : value;
};
