import { decode, encode, isJsonObject, type Json, type JsonObject } from "translogue";
import { contentBlocks } from "translogue/langchain";
import { difference } from "../../difference.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import type { langchainRules } from "../rules/langchain.ts";
import { asJson, construct } from "./langchain-instances.ts";
import { untag } from "./tags.ts";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

type Language = "python" | "js";

/** The view of the blocks of one message, of JavaScript: made by its own class, seen in each of its forms. */
export const langchainBlocks: Runner = {
  name: "langchain blocks",
  reads: file => file.folder === "langchain" && file.kind === "blocks",
  async *run(file) {
    for (const each of casesOf(file)) yield await blocksCase(each);
  },
};

/** What both languages make of the same content. */
export const langchainBothViews: Runner = {
  name: "langchain blocks of both languages",
  reads: file => file.folder === "langchain" && file.path.endsWith("/content_blocks.json"),
  async *run(file) {
    const cases = JSON.parse(file.read()) as { readonly [name: string]: JsonObject }; // as the folder's README says
    for (const [name, { input, py, js }] of Object.entries(cases)) {
      const message = isJsonObject(input) ? { type: "ai", ...input } : { type: "human", content: input ?? [] };
      yield await claims({ format: "langchain blocks", name }, [
        () => differentView(message, "python", py),
        () => differentView(message, "js", js),
      ]);
    }
  },
};

/** The view beside each message that a file prints. */
export const langchainMessageViews: Runner = {
  name: "langchain blocks of messages",
  reads: file => file.folder === "langchain" && (file.kind === "message" || /\/py\.[^/]*\.json$/.test(file.path)),
  async *run(file) {
    const language = file.kind === "message" ? "js" : "python";
    for (const each of language === "js" ? casesOf(file) : [pythonCase(file)]) {
      const view = each[language === "js" ? "contentBlocks" : "content_blocks"];
      const about = { format: "langchain blocks", name: each.name };
      if (!Array.isArray(view)) continue;
      const ofJs = ofMessage(each, [each["toJSON"], each["toDict"], each["flat"]]);
      const forms = language === "js" ? ofJs : pythonForms(each);
      const isBytes = JSON.stringify(each).includes('"$bytes"');
      yield isBytes ? ruled(about, "bytes in content") : await claims(about, differences(forms, language, view));
    }
  },
};

/** JavaScript's stored and flat forms, the later ones, do not tell a chunk from a message, nor escaped data from data. */
function ofMessage(each: Case, forms: readonly (Json | undefined)[]): readonly (Json | undefined)[] {
  const isChunk = typeof each["class"] === "string" && each["class"].endsWith("Chunk");
  const isEscaped = JSON.stringify(forms[0] ?? null).includes('"__lc_escaped__"');
  return isChunk || isEscaped ? forms.slice(0, 1) : forms;
}

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

const pythonCase = (file: FixtureFile): Case => ({
  ...(JSON.parse(file.read()) as JsonObject), // an object, as the folder's README says
  name: file.path.replace(/^.*\/|\.json$/g, ""),
});

function pythonForms(each: Case): (Json | undefined)[] {
  const { model_dump: flat, messages_to_dict: stored, dumps } = each;
  return [flat, stored, typeof dumps === "string" ? (JSON.parse(dumps) as Json) : undefined]; // JSON is Json
}

const differences = (
  forms: readonly (Json | undefined)[],
  language: Language,
  view: Json,
): (() => string | undefined)[] =>
  forms.flatMap(form =>
    isJsonObject(form) && form["error"] === undefined ? [() => differentView(untag(form), language, view)] : [],
  );

async function blocksCase(each: Case): Promise<CaseResult> {
  const about = { format: "langchain blocks", name: each.name };
  const view = each["contentBlocks"];
  if (JSON.stringify(each).includes('"$bytes"')) return ruled(about, "bytes in content");
  if (isJsonObject(view)) return ruled(about, "view that throws");
  if (typeof view === "string") return ruled(about, "view that is text");
  const message = construct(each);
  const json = asJson(message);
  const stored = asJson(message.toDict());
  const flat =
    isJsonObject(stored) && isJsonObject(stored["data"]) ? { ...stored["data"], type: stored["type"] ?? null } : null;
  return await claims(about, [
    ...differences(ofMessage(each, [json, stored, flat]), "js", view ?? null),
    () => sameAgain(json),
  ]);
}

function sameAgain(json: Json): string | undefined {
  const { conversation } = decode(json, { from: "langchain:js-lc", shape: "message" });
  const { value } = encode(conversation, { to: "langchain:js-lc", shape: "message", recipient: "store", carry: false });
  const reason = difference(value, json);
  return reason && `decoded and encoded: ${reason}`;
}

function differentView(message: Json, language: Language, expected: Json | undefined): string | undefined {
  if (expected === undefined) return undefined;
  const blocks = contentBlocks(message, { language, newId: () => madeId });
  return difference(withoutIds(blocks), withoutIds(untag(expected)));
}

const madeId = "lc_00000000-0000-0000-0000-000000000000";

/** Python's ids are random. */
function withoutIds(value: Json): Json {
  if (typeof value === "string") return /^lc_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? madeId : value;
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutIds(member)]));
}

const ruled = (about: Pick<CaseResult, "format" | "name">, rule: keyof typeof langchainRules): CaseResult => ({
  ...about,
  outcome: { status: "set-aside", rule },
});
