import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";
import { difference } from "../../difference.ts";
import type { Generation } from "../../generations.ts";
import type { aisdkModelRules } from "../rules/aisdk-model.ts";

export type ModelRule = keyof typeof aisdkModelRules;

/** Where ours differs on purpose: each rule takes what it is about out of both sides, and says that it did. */
export class Allowances {
  readonly #generation: Generation;
  readonly #given: Json;
  readonly #rules: Set<ModelRule>;
  readonly #parts: readonly JsonObject[];

  constructor(generation: Generation, given: Json, rules: Set<ModelRule>) {
    this.#generation = generation;
    this.#given = given;
    this.#rules = rules;
    this.#parts = list(given).flatMap(message => list(at(message, "parts")).filter(isJsonObject));
  }

  /** The UI messages without what ours is asked to leave alone. */
  input(): Json {
    return list(this.#given).map(message => {
      if (!isJsonObject(message)) return message;
      const role = message["role"];
      const parts = list(message["parts"]).filter(part => {
        if (role !== "assistant" && !isUserPart(part)) return this.#use("misplaced parts");
        if (this.#generation !== "v7" && laterTypes.has(at(part, "type"))) return this.#use("later parts");
        return isMalformed(part) ? this.#use("malformed parts") : true;
      });
      return { ...message, parts };
    });
  }

  #use(rule: ModelRule): false {
    this.#rules.add(rule);
    return false;
  }

  /** Both sides of a conversion of UI messages. */
  pair(ours: Json, theirs: Json): [Json, Json] {
    const pair: [Json, Json] = [ours, theirs];
    for (const [rule, change, side] of this.#changes()) this.#apply(rule, change, pair, side);
    return pair;
  }

  /** Both sides of the way to UI messages and back. */
  back(ours: Json, theirs: Json): [Json, Json] {
    const pair: [Json, Json] = [ours, theirs];
    if (this.#generation === "v7") {
      const passed = passedCalls(theirs);
      if (passed.size > 0) this.#apply("passed questions", withoutCalls(passed), pair);
    }
    for (const [rule, change] of this.#backChanges()) this.#apply(rule, change, pair);
    return pair;
  }

  /** Both sides of a prompt. */
  prompts(ours: Json, theirs: Json): [Json, Json] {
    const pair: [Json, Json] = [ours, theirs];
    for (const [rule, change] of this.#promptChanges()) this.#apply(rule, change, pair);
    return pair;
  }

  /** A rule that changes nothing that differs is not used. What theirs alone has to say otherwise changes there alone. */
  #apply(rule: ModelRule, change: Change, pair: [Json, Json], side?: "theirs"): void {
    const before = difference(...pair);
    if (before === undefined) return;
    const changed: [Json, Json] =
      side === "theirs" ? [pair[0], whereUnlike(pair, change(pair[1]))] : [change(pair[0]), change(pair[1])];
    const isSame = difference(changed[0], pair[0]) === undefined && difference(changed[1], pair[1]) === undefined;
    if (isSame) return;
    if (difference(...changed) !== before) this.#rules.add(rule);
    [pair[0], pair[1]] = changed;
  }

  *#changes(): Iterable<readonly [ModelRule, Change, "theirs"?]> {
    yield ["data URLs", eachPart(dataOfUrl)];
    yield ["denied calls", eachPart(part => this.#withoutDenial(part, each => each["state"] === "output-denied"))];
    yield ["malformed parts", eachPart(part => (isWhole(part) ? part : undefined))];
    if (this.#generation === "v5") yield ["raw arguments", eachPart(part => this.#withRawInput(part)), "theirs"];
    yield ["no arguments", eachPart(withArguments)];
    yield ["metadata of results", eachPart(part => this.#withOwnOptions(part)), "theirs"];
    yield ["nothing said", eachPart(withoutNo)];
    yield [
      "system metadata",
      eachMessage(message => (message["role"] === "system" ? without(message, "providerOptions") : message)),
    ];
    if (this.#generation !== "v7") yield ["provider references", eachPart(part => this.#withoutReference(part))];
    if (this.#generation !== "v5") return;
    const hosted = this.#callIds(part => part["type"] === "dynamic-tool" && part["providerExecuted"] === true);
    yield [
      "hosted dynamic tools",
      eachPart(part => (isCallOf(part, hosted) || isResultOf(part, hosted) ? undefined : part)),
    ];
    yield ["file metadata", eachPart(part => (part["type"] === "file" ? without(part, "providerOptions") : part))];
    yield ["empty messages", withoutEmpty];
  }

  *#backChanges(): Iterable<readonly [ModelRule, Change]> {
    yield ["data URLs", eachPart(dataOfUrl)];
    yield ["nothing said", withoutEmpty];
    yield ["nothing said", eachPart(part => (part["type"] === "text" && part["text"] === "" ? undefined : part))];
    yield ["malformed parts", eachPart(part => (isWhole(part) && !isUntyped(part) ? part : undefined))];
    yield ["nothing said", eachPart(withoutNo)];
    yield ["spelling of files", eachPart(tagged)];
    yield ["lists of one text", eachPart(withBareText)];
    yield ["no arguments", eachPart(part => withArguments(part["input"] === null ? without(part, "input") : part))];
    yield ["denied calls", eachPart(part => this.#withoutDenial(part, isDenied))];
  }

  /** Nothing in place of a result that says of a denied call that it was denied, and why, in any of the SDK's ways. */
  #withoutDenial(part: JsonObject, is: (part: JsonObject) => boolean): JsonObject | undefined {
    if (part["type"] !== "tool-result") return part;
    const denied = this.#parts.filter(each => each["toolCallId"] === part["toolCallId"] && is(each));
    return denied.some(each => isDenial(part["output"], at(each["approval"], "reason"))) ? undefined : part;
  }

  /** A result or a failed call with the metadata that the part of the UI has for it, where it has that of the other. */
  #withOwnOptions(part: JsonObject): JsonObject {
    const options = part["providerOptions"];
    if (options === undefined) return part;
    const given = this.#parts.find(each => each["toolCallId"] === part["toolCallId"]);
    const [ofCall, ofResult] = [given?.["callProviderMetadata"], given?.["resultProviderMetadata"]];
    const isResult = part["type"] === "tool-result";
    const [own, other] = isResult ? [ofResult, ofCall] : [ofCall, ofResult];
    const isFailed = given?.["state"] === "output-error";
    if (other === undefined || !equalJson(options, other) || !(isResult || isFailed)) return part;
    const { providerOptions: _, ...others } = part;
    return own === undefined || this.#generation === "v5" ? others : { ...others, providerOptions: own };
  }

  /** A dynamic tool's failed call with the arguments that could not be read. */
  #withRawInput(part: JsonObject): JsonObject {
    const given = this.#parts.find(
      each => each["toolCallId"] === part["toolCallId"] && each["type"] === "dynamic-tool",
    );
    const raw = given?.["input"] === undefined ? given?.["rawInput"] : undefined;
    const isBare = part["type"] === "tool-call" && part["input"] === undefined;
    return raw !== undefined && isBare ? { ...part, input: raw } : part;
  }

  *#promptChanges(): Iterable<readonly [ModelRule, Change]> {
    yield ["joined tool messages", joinedTools];
    yield ["empty messages", withoutEmpty];
    const asked = this.#callIds(part => part["approval"] !== undefined);
    yield ["answered by the loop", eachPart(part => (isResultOf(part, asked) ? undefined : part))];
    yield ["answered by the loop", withoutEmpty];
    yield ["no arguments", eachPart(withArguments)];
    yield ["text in data URLs", eachPart(part => this.#withoutTextUrl(part))];
    yield ["looked into bytes", eachPart(part => (part["type"] === "file" ? without(part, "mediaType") : part))];
  }

  #withoutTextUrl(part: JsonObject): JsonObject {
    const isText = (url: Json | undefined): boolean => typeof url === "string" && /^data:(?![^,]*;base64,)/.test(url);
    const has = this.#parts.some(
      ({ url, mediaType }) =>
        isText(url) && (mediaType === part["mediaType"] || `${url}`.startsWith(`data:${part["mediaType"]}`)),
    );
    return part["type"] === "file" && has ? without(part, "data") : part;
  }

  #withoutReference(part: JsonObject): JsonObject {
    const has = this.#parts.some(
      each => isJsonObject(each["providerReference"]) && each["mediaType"] === part["mediaType"],
    );
    return part["type"] === "file" && has ? without(part, "data") : part;
  }

  #callIds(is: (part: JsonObject) => boolean): ReadonlySet<Json | undefined> {
    return new Set(this.#parts.filter(is).map(part => part["toolCallId"]));
  }
}

type Change = (messages: Json) => Json;

const laterTypes: ReadonlySet<Json | undefined> = new Set(["custom", "reasoning-file", "steering-message"]);

const isUserPart = (part: Json): boolean => {
  const type = at(part, "type");
  return type === "text" || type === "file" || (typeof type === "string" && type.startsWith("data-"));
};

/** A part that says less than its type needs; the SDK passes it on. */
const isMalformed = (part: Json): boolean => {
  switch (at(part, "type")) {
    case "text":
    case "reasoning":
      return typeof at(part, "text") !== "string";
    case "file":
      return typeof at(part, "mediaType") !== "string";
    case "tool-invocation":
      return at(part, "toolCallId") === undefined;
    default:
      return false;
  }
};

/** A part of a model message that says what it must. */
const isWhole = (part: JsonObject): boolean => {
  if (part["type"] === "text") return typeof part["text"] === "string";
  if (part["type"] === "file") return typeof part["mediaType"] === "string";
  return part["type"] !== "tool-call" || typeof part["toolCallId"] === "string";
};

const eachMessage =
  (change: (message: JsonObject) => Json): Change =>
  messages =>
    list(messages).map(message => (isJsonObject(message) ? change(message) : message));

const eachPart = (change: (part: JsonObject) => Json | undefined): Change =>
  eachMessage(message => {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const parts = (content as readonly Json[]).flatMap(part => {
      const changed = isJsonObject(part) ? change(part) : part;
      return changed === undefined ? [] : [changed];
    });
    return { ...message, content: parts };
  });

/** Bytes in a data URL as bytes. */
function dataOfUrl(part: JsonObject): JsonObject {
  const { data, mediaType } = part;
  const url = typeof data === "string" ? data : at(data, "type") === "url" ? at(data, "url") : undefined;
  const [, type, bytes] = (typeof url === "string" && /^data:([^,;]*)[^,]*;base64,(.*)$/s.exec(url)) || [];
  if (bytes === undefined) return part;
  const isWild = typeof mediaType === "string" && mediaType.endsWith("/*");
  return {
    ...part,
    ...(isWild && type && { mediaType: type }),
    data: typeof data === "string" ? bytes : { type: "data", data: bytes },
  };
}

/** What was changed of theirs, but for the parts that ours has as they were. */
function whereUnlike([ours, theirs]: readonly [Json, Json], changed: Json): Json {
  return list(changed).map((message, place) => {
    const [own, given] = [ours, theirs].map(messages => list(at(list(messages)[place], "content")));
    const content = list(at(message, "content")).map((part, index) => {
      const before = given?.[index];
      return before !== undefined && equalJson(own?.[index] ?? null, before) ? before : part;
    });
    return isJsonObject(message) && Array.isArray(message["content"]) ? { ...message, content } : message;
  });
}

/** A bare text as the tagged object that says the same. */
function tagged(part: JsonObject): JsonObject {
  const { data, type } = part;
  if (typeof data !== "string" || type !== "file") return part;
  return { ...part, data: /^[a-z]+:/i.test(data) ? { type: "url", url: data } : { type: "data", data } };
}

/** A tool's list of one text as the text. */
function withBareText(part: JsonObject): JsonObject {
  const { output } = part;
  const [only, ...others] = at(output, "type") === "content" ? list(at(output, "value")) : [];
  const isBare = isJsonObject(only) && only["type"] === "text" && Object.keys(only).length === 2;
  return isBare && others.length === 0 ? { ...part, output: { type: "text", value: only["text"] ?? "" } } : part;
}

/** Calls that somebody was asked about and did not answer before a user's next word. */
function passedCalls(messages: Json): ReadonlySet<Json | undefined> {
  const all = list(messages);
  const last = all.findLastIndex(message => at(message, "role") === "user");
  const partsIn = (some: readonly Json[], type: string): readonly Json[] =>
    some.flatMap(message => list(at(message, "content"))).filter(part => at(part, "type") === type);
  const answered = new Set(partsIn(all, "tool-approval-response").map(part => at(part, "approvalId")));
  const asked = partsIn(all.slice(0, Math.max(last, 0)), "tool-approval-request");
  return new Set(asked.filter(part => !answered.has(at(part, "approvalId"))).map(part => at(part, "toolCallId")));
}

const withoutCalls = (calls: ReadonlySet<Json | undefined>): Change => {
  const left = eachPart(part => (calls.has(part["toolCallId"]) ? undefined : part));
  return messages => withoutEmpty(left(messages));
};

const isUntyped = (part: JsonObject): boolean => part["mediaType"] === "application/octet-stream";
const isDenied = (part: JsonObject): boolean =>
  part["state"] === "output-denied" || at(part["approval"], "approved") === false;

const isDenial = (output: Json | undefined, reason: Json | undefined): boolean =>
  at(output, "type") === "execution-denied"
    ? at(output, "reason") === reason
    : at(output, "type") === "error-text" && at(output, "value") === (reason ?? "Tool call execution denied.");

const isResultOf = (part: JsonObject, calls: ReadonlySet<Json | undefined>): boolean =>
  part["type"] === "tool-result" && calls.has(part["toolCallId"]);
const isCallOf = (part: JsonObject, calls: ReadonlySet<Json | undefined>): boolean =>
  part["type"] === "tool-call" && calls.has(part["toolCallId"]);

function without(object: JsonObject, member: string): JsonObject {
  const { [member]: _, ...others } = object;
  return others;
}

const withArguments = (part: JsonObject): JsonObject =>
  part["type"] === "tool-call" && part["input"] === undefined ? { ...part, input: {} } : part;

/** Without the word that the provider does not run the call. */
const withoutNo = (part: JsonObject): JsonObject =>
  part["providerExecuted"] === false ? without(part, "providerExecuted") : part;

const withoutEmpty: Change = messages =>
  list(messages).filter(
    message =>
      at(message, "role") === "user" ||
      list(at(message, "content")).length > 0 ||
      typeof at(message, "content") === "string",
  );

/** Neighbouring tool messages as one. */
function joinedTools(messages: Json): Json {
  const joined: Json[] = [];
  for (const message of list(messages)) {
    const last = joined.at(-1);
    if (isJsonObject(last) && last["role"] === "tool" && at(message, "role") === "tool")
      joined[joined.length - 1] = { ...last, content: [...list(last["content"]), ...list(at(message, "content"))] };
    else joined.push(message);
  }
  return joined;
}

const at = (value: Json | undefined, key: string): Json | undefined => (isJsonObject(value) ? value[key] : undefined);
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
