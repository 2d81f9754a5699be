import {
  type Conversation,
  decode,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  parseJson,
  readText,
  writeText,
} from "translogue";
import { langchain, load, readMessages } from "translogue/langchain";
import { deepFreeze, difference } from "../../difference.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import type { langchainRules } from "../rules/langchain.ts";
import { langchainMessageViews } from "./langchain-blocks.ts";
import { memberOf as member } from "./langchain-specs.ts";
import { asTyped, textRule, typesRule } from "./langchain-texts.ts";
import { untag } from "./tags.ts";

type Dialect = "python" | "python-stored" | "python-lc" | "js-lc" | "js-stored" | "js-flat" | "openai";
type Language = "python" | "js";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says
const isNamed = (file: FixtureFile, pattern: RegExp): boolean =>
  file.folder === "langchain" && file.kind === undefined && pattern.test(file.path.slice("langchain/".length));

const ruled = (about: { format: string; name: string }, rule: keyof typeof langchainRules): CaseResult => ({
  ...about,
  outcome: { status: "set-aside", rule },
});

// messages

/** Every form of each message of JavaScript, read and written in its own dialect. */
export const langchainMessages: Runner = {
  name: "langchain messages",
  reads: file => file.folder === "langchain" && file.kind === "message",
  async *run(file, world) {
    for (const each of casesOf(file)) {
      const about = { format: "langchain message", name: each.name };
      if (isError(each["constructed"])) {
        yield ruled(about, "no message");
        continue;
      }
      const result = await claims(about, [
        () => sameAgain(each["toJSON"], "js-lc"),
        () => sameText(each["stringify"], "js-lc"),
        () => sameAgain(each["toDict"], "js-stored"),
        () => sameAgain(each["stored"], "js-stored"),
        () => sameAgain(each["flat"], "js-flat"),
        () => (textRule(each["toJSON"], each["text"]) ? undefined : saysText(asTyped(each["toJSON"]), each["text"])),
      ]);
      yield result;
      const rule = textRule(each["toJSON"], each["text"]) ?? typesRule(each["toJSON"]);
      if (rule) yield ruled(about, rule);
    }
    yield* langchainMessageViews.run(file, world);
  },
};

/** Every form of each message of Python. */
export const langchainPythonMessages: Runner = {
  name: "langchain python messages",
  reads: file => isNamed(file, /^(py\..*|sdk_forms)\.json$/),
  async *run(file, world) {
    const value = JSON.parse(file.read()) as JsonObject; // as the folder's README says
    if (file.path.endsWith("sdk_forms.json")) {
      for (const [name, forms] of Object.entries(value)) {
        yield await claims({ format: "langchain flat", name }, [
          () => sameAgain(member(forms, "js"), "js-flat"),
          () => sameAgain(member(forms, "py"), "python"),
        ]);
      }
      return;
    }
    const name = file.path.replace(/^langchain\/py\./, "").replace(/\.json$/, "");
    const about = { format: "langchain message", name: `python ${name}` };
    yield await claims(about, [
      () => sameAgain(value["model_dump"], "python"),
      () => sameAgain(value["model_dump_exclude_none"], "python"),
      () => sameText(value["model_dump_json"], "python"),
      () => sameAgain(value["messages_to_dict"], "python-stored"),
      () => sameAgain(value["dumpd"], "python-lc"),
      () => sameText(value["dumps"], "python-lc"),
      () => sameAgain(value["openai"], "openai"),
      () => saysText(asTyped(value["model_dump"]), value["text"]),
    ]);
    const rule = typesRule(value["model_dump"]);
    if (rule) yield ruled(about, rule);
    yield* langchainMessageViews.run(file, world);
  },
};

const isError = (value: Json | undefined): boolean =>
  isJsonObject(value) && (value["error"] !== undefined || value["__error__"] !== undefined);

/** Equal as a value, with its members in their order. */
function sameAgain(given: Json | undefined, dialect: Dialect): string | undefined {
  if (given === undefined || isError(given)) return undefined;
  const value = deepFreeze(untag(given));
  const { conversation } = decode(value, { from: `langchain:${dialect}`, shape: "message" });
  const { value: again, losses } = encodeAs(conversation, dialect);
  const reason = difference(again, value);
  if (reason !== undefined) return `${dialect}: ${reason}`;
  if (losses.length > 0) return `${dialect}: ${losses.map(({ code }) => code).join(", ")} of its own form`;
  const [written, read] = [JSON.stringify(again), JSON.stringify(value)];
  return written === read ? undefined : `${dialect}: in another order: ${written}, expected ${read}`;
}

/** Text → message → text, byte for byte. */
function sameText(given: Json | undefined, dialect: Dialect): string | undefined {
  if (typeof given !== "string") return undefined;
  const { value, exact } = readText(given, "langchain");
  const { conversation } = decode(value, { from: `langchain:${dialect}`, shape: "message", exact });
  const written = encodeAs(conversation, dialect);
  const text = writeText(written.value, "langchain", { dialect, ...(written.exact && { exact: written.exact }) });
  return text === given ? undefined : `text of ${dialect}: ${text}, expected ${given}`;
}

const encodeAs = (conversation: Conversation, dialect: Dialect) =>
  encode(conversation, { to: `langchain:${dialect}`, shape: "message", recipient: "store", carry: false });

function saysText(given: Json | undefined, text: Json | undefined): string | undefined {
  if (given === undefined || typeof text !== "string") return undefined;
  const { conversation } = decode(untag(given), { from: "langchain", shape: "message" });
  const said = conversation.messages.map(textOf).join("");
  return said === text ? undefined : `text: ${JSON.stringify(said)}, expected ${JSON.stringify(text)}`;
}

/** A result is the text of a tool's own message; among others' blocks it is a block of its own. */
const textOf = ({ parts, role, native }: Message): string =>
  parts
    .flatMap(part => (part.type === "tool-result" && isOfTool(role, native) ? (part.output ?? []) : [part]))
    .map(part => (part.type === "text" ? part.text : ""))
    .join("");

function isOfTool(role: string, native: Message["native"]): boolean {
  const { $class: name, $join: isJoined } = native?.["langchain"] ?? {};
  return role === "tool" && isJoined !== true && !(typeof name === "string" && /^(Human|Chat)/.test(name));
}

// what is like a message

export const langchainCoercion: Runner = {
  name: "langchain coercion",
  reads: file => (file.folder === "langchain" && file.kind === "coerce") || isNamed(file, /^coerce_cases\.json$/),
  async *run(file) {
    if (file.kind === "coerce") {
      for (const each of casesOf(file)) yield await jsCase(each);
      return;
    }
    const list = JSON.parse(file.read()) as { input: Json; py: Json; js: Json }[]; // as the folder's README says
    for (const [index, { input, py, js }] of list.entries()) {
      const about = { format: "langchain coercion", name: `case ${index}` };
      yield await claims(about, [() => coerced(input, "python", py), () => coerced(input, "js", js)]);
    }
  },
};

async function jsCase(each: Case): Promise<CaseResult> {
  const about = { format: "langchain coercion", name: each.name };
  const given = each["input"];
  if (isJsonObject(given) && "$message" in given) return ruled(about, "live instance");
  const input = isJsonObject(given) && given["$undefined"] === true ? undefined : untag(given ?? null);
  const json = member(each["message"], "json");
  const kwargs = member(json, "kwargs");
  const expected =
    json === undefined
      ? { error: each["error"] ?? true }
      : { class: member(each["message"], "class") ?? null, ...(isJsonObject(kwargs) && kwargs) };
  const rule = textRule(json, each["text"]);
  return await claims(about, [
    () => coerced(input, "js", expected),
    () =>
      json === undefined || !isText(each["text"]) || rule !== undefined || typesRule(json) !== undefined
        ? undefined
        : saysTextOf(input, each["text"]),
  ]);
}

const isText = (text: Json | undefined): boolean => typeof text === "string" && text !== "";

function saysTextOf(input: Json | undefined, text: Json | undefined): string | undefined {
  const said = readMessages([input], { language: "js" }).messages.map(textOf).join("");
  return said === text ? undefined : `text: ${JSON.stringify(said)}, expected ${JSON.stringify(text)}`;
}

/** The class and the members, as the language itself writes them; or a refusal where it refuses. */
function coerced(input: Json | undefined, language: Language, expected: Json): string | undefined {
  const read = refusing(() => readMessages([input], { language }).messages);
  if (isError(expected))
    return read === undefined ? undefined : `${language} refuses it, and ours makes a message of it`;
  if (read === undefined) return `${language} makes a message of it, and ours refuses it`;
  const dialect = language === "js" ? "js-lc" : "python-lc";
  const serialised = encodeAs({ messages: read }, dialect).value;
  const name = member(serialised as Json, "id"); // the codec writes JSON
  const own = language === "js" ? member(serialised as Json, "kwargs") : encodeAs({ messages: read }, "python").value;
  const reason = difference(
    { class: Array.isArray(name) ? name.at(-1) : null, ...(isJsonObject(own) && own) },
    expected,
  );
  return reason === undefined ? undefined : `${language}: ${reason}`;
}

/** undefined = refused. */
function refusing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error; // a fault of ours is no refusal
    return undefined;
  }
}

// load

export const langchainLoad: Runner = {
  name: "langchain load",
  reads: file => file.folder === "langchain" && file.kind === "load",
  async *run(file) {
    for (const each of casesOf(file)) yield "stored" in each ? await storedCase(each) : await loadCase(each);
  },
};

async function loadCase(each: Case): Promise<CaseResult> {
  const about = { format: "langchain load", name: each.name };
  const text = each["text"] as string; // as the file says
  const results: readonly (Json | undefined)[] = [each["core"], each["langchain"]];
  const expected = results.find(out => member(out, "value") !== undefined || isNull(out));
  const options = member(each["options"], "maxDepth");
  const read = (): ReturnType<typeof load> | undefined =>
    refusing(() => load(text, typeof options === "number" ? { maxDepth: options } : {}));
  if (hasForeign(text)) {
    const refused = await claims(about, [() => (read() === undefined ? undefined : "a hostile object is not refused")]);
    return refused.outcome.status === "passed" && expected !== undefined ? ruled(about, "hostile objects") : refused;
  }
  if (expected === undefined) {
    if (read() === undefined) return { ...about, outcome: { status: "passed" } };
    return isOfPython(text)
      ? ruled(about, "of the other language")
      : await claims(about, [() => "it is refused, and ours reads it"]);
  }
  const rule = keptRule(text);
  const result = await claims(about, [
    () => {
      const loaded = read();
      return loaded === undefined
        ? "it is read, and ours refuses it"
        : loadedAs(loaded, member(expected, "value") ?? null);
    },
  ]);
  return rule && result.outcome.status === "failed" ? ruled(about, rule) : result;
}

const isNull = (out: Json | undefined): boolean => isJsonObject(out) && "value" in out;

/** What no text of messages has: another class, a secret, an object that could not be written. */
function hasForeign(text: string): boolean {
  const pending: Json[] = [tryParse(text) ?? null];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) {
      if (Object.keys(value).length === 1 && "__lc_escaped__" in value) continue;
      const isSerialised =
        value["lc"] === 1 && ["constructor", "secret", "not_implemented"].includes(String(value["type"]));
      if (isSerialised && (langchain.sniff(value).length === 0 || !isJsonObject(value["kwargs"]))) return true;
    }
    pending.push(...Object.values(value));
  }
  return false;
}

const tryParse = (text: string): Json | undefined => {
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
};

const isOfPython = (text: string): boolean => /NaN|Infinity/.test(text) || /"langchain", ?"schema"/.test(text);

/** Where JavaScript's loader loses something of a message on its way. */
function keptRule(text: string): keyof typeof langchainRules | undefined {
  if (text.includes('"__proto__"')) return "prototype names";
  if (text.includes('"content_blocks"') && text.includes('"content"')) return "blocks beside content";
  const kwargs = member(tryParse(text), "kwargs");
  if (isOfPython(text)) return "blocks of the other language";
  const keys = Object.keys(isJsonObject(kwargs) ? kwargs : {});
  if (keys.includes("tool_call_chunks")) return "fragments of calls";
  return keys.some(key => /[A-Z-]/.test(key)) ? "names of members" : undefined;
}

/** Messages where there are messages, plain values elsewhere. */
function loadedAs(loaded: ReturnType<typeof load>, expected: Json): string | undefined {
  const found = new Map(loaded.messages.map(({ path, message }) => [JSON.stringify(path), message]));
  const compare = (value: Json, wanted: Json, path: readonly (string | number)[]): string | undefined => {
    if (isJsonObject(wanted) && "json" in wanted) {
      const message = found.get(JSON.stringify(path));
      if (!message) return `no message at ${path.join(".") || "the top"}`;
      return sameMessage(message, wanted["json"] ?? null);
    }
    const plain = isJsonObject(wanted) && "plain" in wanted ? wanted["plain"] : wanted;
    if (Array.isArray(plain) && Array.isArray(value)) {
      return firstOf(
        plain.map((item, index) => compare((value as readonly Json[])[index] ?? null, item, [...path, index])),
      );
    }
    if (!isJsonObject(plain) || !isJsonObject(value)) return difference(value, plain);
    const keys = [...new Set([...Object.keys(plain), ...Object.keys(value)])];
    return firstOf(keys.map(key => compare(value[key] ?? null, plain[key] ?? null, [...path, key])));
  };
  return compare(loaded.value, expected, []);
}

const firstOf = (reasons: readonly (string | undefined)[]): string | undefined =>
  reasons.find(reason => reason !== undefined);

/** The message as JavaScript writes it again: its constructor adds the members that have a default. */
function sameMessage(message: Message, expected: Json): string | undefined {
  return difference(completed(encodeAs({ messages: [message] }, "js-lc").value as Json), completed(expected));
}

/** With the members that say nothing taken out: which of them are written depends on how the message was made. */
function completed(value: Json): Json {
  if (Array.isArray(value)) return value.map(completed);
  if (!isJsonObject(value)) return value;
  const kwargs = value["lc"] === 1 && isJsonObject(value["kwargs"]) ? value["kwargs"] : undefined;
  const members = kwargs ? { ...value, kwargs: said(kwargs) } : value;
  return Object.fromEntries(Object.entries(members).map(([key, inner]) => [key, completed(inner)]));
}

const said = (kwargs: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(kwargs).filter(([key, value]) => key !== "type" && !isSilent(value)));

const isSilent = (value: Json): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0);

async function storedCase(each: Case): Promise<CaseResult> {
  const about = { format: "langchain load", name: each.name };
  const stored = untag(each["stored"] ?? null);
  if (each["error"] !== undefined) {
    const isRead = refusing(
      () => decode(stored, { from: "langchain:js-stored", shape: "messages" }).issues.length === 0,
    );
    return isRead === true ? ruled(about, "reads more") : { ...about, outcome: { status: "passed" } };
  }
  const expected = Array.isArray(each["value"]) ? (each["value"] as readonly Json[]) : [];
  const result = await claims(about, [
    () => {
      const { conversation } = decode(stored, { from: "langchain:js-stored", shape: "messages" });
      const to = { to: "langchain:js-lc", shape: "messages", recipient: "store", carry: false } as const;
      const written = encode(conversation, to).value as readonly Json[]; // the codec writes a list of JSON
      if (written.length !== expected.length) return `${written.length} messages, expected ${expected.length}`;
      return firstOf(
        written.map((wire, index) => {
          const json = member(expected[index], "json");
          return json === undefined ? undefined : difference(completed(wire), completed(json));
        }),
      );
    },
  ]);
  const isCamel = JSON.stringify(stored).includes('"contentBlocks"');
  return isCamel && result.outcome.status === "failed" ? ruled(about, "names of members") : result;
}
