import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import type { Path, Severity } from "../../model/issue.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { classOfId, isHarmless, type Live, memberOf, unwrapAll, wrapAll } from "./escape.ts";
import {
  type Body,
  type Class,
  classNamed,
  classOf,
  classOfRole,
  classOfType,
  dialects,
  type Form,
  formOf,
  isFallback,
  type Language,
  layoutOf,
  typeOf,
} from "./wire.ts";

/** A wire message out of its container. `hints`: how the container was spelled. */
export interface Opened {
  readonly body: Body;
  readonly form: Form;
  readonly hints: JsonObject;
}

/** The body of a wire message of any form; undefined where it is none. */
export function open(wire: Json, path: Path, context: DecodeContext): Opened | undefined {
  if (Array.isArray(wire)) return openTuple(wire);
  if (!isJsonObject(wire)) return undefined;
  if (memberOf(wire, "lc") === 1) return openSerialised(wire, path, context);
  const type = memberOf(wire, "type");
  const row = classOfType(type) ?? (Object.hasOwn(wire, "role") ? undefined : classOfWord(type));
  const data = memberOf(wire, "data");
  if (row && !Object.hasOwn(wire, "content") && isJsonObject(data))
    return openStored(wire, data, { row, dialect: context.dialect });
  if (row && Array.isArray(data) && !Object.hasOwn(wire, "content")) {
    return openStored(wire, { content: data }, { row, dialect: context.dialect });
  }
  if (row && data === undefined && !Object.hasOwn(wire, "content") && typeof memberOf(wire, "text") === "string") {
    return openLegacy(wire, row);
  }
  if (row && !isRoleDict(wire, row)) return openFlat(wire, row, context);
  return openDict(wire);
}

const classOfWord = (word: Json | undefined): Class | undefined =>
  typeof word === "string" ? classOfRole(word) : undefined;

/** A dict of a role may have a type too, but only a chat message has a role of its own. */
const isRoleDict = (wire: JsonObject, row: Class): boolean =>
  typeof memberOf(wire, "role") === "string" && row.base !== "ChatMessage" && !Object.hasOwn(wire, "additional_kwargs");

function openSerialised(wire: JsonObject, path: Path, context: DecodeContext): Opened | undefined {
  const reader = new Reader(wire);
  const id = reader.array("id");
  const name = classOfId(id);
  const kwargs = memberOf(wire, "kwargs");
  if (memberOf(wire, "type") !== "constructor" || name === undefined || !isJsonObject(kwargs)) {
    return refuse(wire, path, context);
  }
  reader.take("lc", "type", "kwargs");
  const form = id?.[0] === "langchain" ? dialects["python-lc"] : dialects["js-lc"];
  const row = classNamed(name) as Class; // classOfId gives names of rows only
  const { value, live } = unwrapAll(kwargs);
  for (const { pointer, kind } of live) reportLive(kind, [...path, "kwargs", ...stepsOf(pointer)], context);
  const pointers = live.filter(({ kind }) => isHarmless(kind)).map(({ pointer }) => pointer);
  const rest = reader.rest();
  const members = isJsonObject(value) ? value : {};
  return {
    form,
    body: { row, members: withoutType(members) },
    hints: {
      ...keysHint(members, { row, form }),
      ...memberTypeHint(members, row, form),
      ...(pointers.length > 0 && { $live: pointers }),
      ...(!equalJson(id, idOf(row, form)) && { $path: id ?? [] }),
      ...(rest && { $envelope: rest }),
    },
  };
}

/** Says what the serialised object is that nothing is built of; it is kept as data. */
function refuse(wire: JsonObject, path: Path, context: DecodeContext): undefined {
  const type = memberOf(wire, "type");
  if (type === "secret") reportLive("secret", path, context);
  else if (type === "not_implemented") reportLive("not_implemented", path, context);
  else reportLive("constructor", path, context);
}

const reports = {
  secret: ["lc-secret", "a serialised secret is never looked up; it is kept as the data that it is", "warning"],
  constructor: ["lc-constructor", "only messages are read of serialised objects; this one is kept as data", "warning"],
  not_implemented: ["lc-not-implemented", "what the source could not write is kept as it is", "info"],
  message: ["lc-nested-message", "a message inside of a message is kept as data", "info"],
} as const satisfies { readonly [kind in Live["kind"]]: readonly [code: string, message: string, Severity] };

function reportLive(kind: Live["kind"], path: Path, { issue }: DecodeContext): void {
  const [code, message, severity] = reports[kind];
  issue(code, path, message, severity);
}

function openStored(
  wire: JsonObject,
  data: JsonObject,
  { row, dialect }: { readonly row: Class; readonly dialect: string },
): Opened {
  const reader = new Reader(wire);
  reader.take("type", "data");
  const rest = reader.rest();
  const told = formOf(dialect);
  const language = languageOfType(memberOf(wire, "type")) ?? (told.container === "stored" ? told.language : undefined);
  const form =
    dialects[(language ?? (isPythonData(data) ? "python" : "js")) === "python" ? "python-stored" : "js-stored"];
  return {
    form,
    body: { row, members: withoutType(data) },
    hints: {
      ...keysHint(data, { row, form }),
      ...memberTypeHint(data, row, form),
      ...typeHint(wire, row, form),
      ...(rest && { $envelope: rest }),
    },
  };
}

/** JavaScript's data has a type only where the constructor was given one; Python's has all of its members. */
export const isPythonData = (data: JsonObject): boolean =>
  Object.hasOwn(data, "type") && Object.hasOwn(data, "name") && Object.hasOwn(data, "id");

/** The form of JavaScript before `data`. */
function openLegacy(wire: JsonObject, row: Class): Opened {
  const reader = new Reader(wire);
  reader.take("type");
  const content = reader.string("text") ?? "";
  const members: JsonObject = { content, ...reader.rest() };
  const form = dialects["js-stored"];
  return { form, body: { row, members }, hints: keysHint(members, { row, form }) };
}

/** The language whose word alone the type is: JavaScript's chunks have the types of whole messages. */
export const languageOfType = (type: Json | undefined): Language | undefined =>
  type === "generic" ? "js" : type === "chat" || (typeof type === "string" && classNamed(type)) ? "python" : undefined;

/** JavaScript's servers put the type last; its constructor may have been given one before its own members. */
export const isPythonFlat = (keys: readonly string[]): boolean =>
  keys.at(-1) !== "type" && (keys.includes("name") || keys.indexOf("type") > keys.indexOf("additional_kwargs"));

function openFlat(wire: JsonObject, row: Class, { dialect }: DecodeContext): Opened {
  const keys = Object.keys(wire);
  const told = formOf(dialect);
  const language = languageOfType(memberOf(wire, "type")) ?? (told.container === "flat" ? told.language : undefined);
  const form = dialects[(language ?? (isPythonFlat(keys) ? "python" : "js")) === "python" ? "python" : "js-flat"];
  const isAppended = form.language === "js" && keys.at(-1) === "type";
  return {
    form,
    body: { row, members: withoutType(wire) },
    hints: { ...keysHint(isAppended ? withoutType(wire) : wire, { row, form }), ...typeHint(wire, row, form) },
  };
}

/** OpenAI's form, and what LangChain takes for it: a role of either's, or any other for a chat message. */
function openDict(wire: JsonObject): Opened | undefined {
  const role = memberOf(wire, "role");
  if (typeof role !== "string") return undefined;
  const known = classOfRole(role);
  const row = known ?? classOf("ChatMessage");
  const reader = new Reader(wire);
  if (known) reader.take("role");
  const isDeveloper = role === "developer";
  const form = dialects.openai;
  const usual = row.base === "HumanMessage" ? "user" : row.base === "AIMessage" ? "assistant" : role;
  return {
    form,
    body: { row, members: reader.rest() ?? {} },
    hints: {
      ...keysHint(wire, { row, form }),
      ...(isDeveloper && { $developer: true }),
      ...(role !== usual && { $role: role }),
    },
  };
}

/** A role and a content, as the dict that they are short for. */
function openTuple([role, content, ...others]: readonly Json[]): Opened | undefined {
  if (typeof role !== "string" || !classOfRole(role) || others.length > 0) return undefined;
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  const opened = openDict({ role, content });
  return opened && { ...opened, hints: { ...opened.hints, $tuple: true } };
}

function withoutType(members: JsonObject): JsonObject {
  if (!Object.hasOwn(members, "type")) return members;
  const reader = new Reader(members);
  reader.take("type");
  return reader.rest() ?? {};
}

/** `type` where it is another word than the class's own (`user`, or `ai` of a chunk). */
const typeHint = (wire: JsonObject, row: Class, form: Form): JsonObject => {
  const type = memberOf(wire, "type") ?? null;
  return type === typeOf(row, form.language) ? {} : { $type: { [form.group]: type } };
};

/** A `type` among the members of a container that is not the class's own. */
function memberTypeHint(members: JsonObject, row: Class, form: Form): JsonObject {
  const type = memberOf(members, "type");
  return type === undefined || type === typeOf(row, form.language) ? {} : { $memberType: { [form.group]: type } };
}

/** The members of the wire and their order, where the group's own package would write others or another. */
function keysHint(
  members: JsonObject,
  { row, form: { group } }: { readonly row: Class; readonly form: Form },
): JsonObject {
  const says = (member: string): boolean => {
    const value = memberOf(members, member);
    return value !== undefined && !isFallback(member, value) && !isCarry(member, value);
  };
  const { order, always } = layoutOf(row, group, says);
  const keys = Object.keys(members).filter(key => always.includes(key) || !isCarry(key, members[key] ?? null));
  const usual = [
    ...order.filter(member => always.includes(member) || says(member)),
    ...keys.filter(member => !order.includes(member)),
  ];
  // Blocks that are a view of the content are written where they were only.
  const isUsual =
    !keys.includes("content_blocks") &&
    !keys.includes("contentBlocks") &&
    usual.length === keys.length &&
    usual.every((member, index) => member === keys[index]);
  return isUsual ? {} : { $keys: { [group]: keys } };
}

/** `additional_kwargs` that are there for what a reader of ours put into them. */
const isCarry = (member: string, value: Json): boolean =>
  member === "additional_kwargs" &&
  isJsonObject(value) &&
  Object.hasOwn(value, "translogue") &&
  Object.keys(value).length === 1;

const stepsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map(step => step.replaceAll("~1", "/").replaceAll("~0", "~"));

const idOf = (row: Class, { language }: Form): readonly string[] =>
  language === "python" ? ["langchain", "schema", "messages", row.name] : ["langchain_core", "messages", row.name];

// closing

/** The members in the order of the wire they came from, else of the group's own package. `rest`: what has no field. */
export function arrange(
  fields: { readonly [member: string]: Json | undefined },
  rest: JsonObject,
  layout: {
    readonly row: Class;
    readonly form: Form;
    readonly hints: JsonObject;
    fallback(member: string): Json | undefined;
  },
): JsonObject {
  const { row, form, hints, fallback } = layout;
  const given = (member: string): Json | undefined => {
    const field = Object.hasOwn(fields, member) ? fields[member] : undefined;
    return field === undefined ? memberOf(rest, member) : field;
  };
  const says = (member: string): boolean => {
    const value = given(member);
    return value !== undefined && !isFallback(member, value);
  };
  const { order, always } = layoutOf(row, form.group, says);
  const keys = keysOf(hints, form);
  const wanted = keys ?? order.filter(member => always.includes(member) || given(member) !== undefined);
  const members: MutableJsonObject = {};
  for (const member of wanted) {
    const own = given(member);
    const value = own === undefined ? fallback(member) : own;
    if (value !== undefined) setMember(members, member, value);
  }
  for (const member of [...order, ...Object.keys(fields), ...Object.keys(rest)]) {
    const value = given(member);
    if (value === undefined || Object.hasOwn(members, member)) continue;
    // What the wire did not have is added where it says something now.
    const isSilent = isFallback(member, value) || (member === "content" && isEmpty(value));
    if (!keys || !isSilent) setMember(members, member, value);
  }
  return members;
}

const isEmpty = (content: Json): boolean => content === "" || (Array.isArray(content) && content.length === 0);

export function keysOf(hints: JsonObject, { group }: Form): readonly string[] | undefined {
  const { $keys: groups } = hints;
  const keys = isJsonObject(groups) ? memberOf(groups, group) : undefined;
  return Array.isArray(keys) && keys.every(key => typeof key === "string") ? keys : undefined;
}

/** Puts the members of a message into the container of a form. */
export function close(
  members: JsonObject,
  row: Class,
  { form, hints }: { readonly form: Form; readonly hints: JsonObject },
): JsonObject {
  const { $type: types, $envelope: envelope } = hints;
  const given = isJsonObject(types) ? memberOf(types, form.group) : undefined;
  const type = given ?? typeOf(row, form.language);
  const rest = isJsonObject(envelope) ? envelope : {};
  switch (form.container) {
    case "stored":
      return { type, data: members, ...rest };
    case "lc": {
      const { $live: live, $path: path } = hints;
      const pointers = Array.isArray(live) ? live.filter(pointer => typeof pointer === "string") : [];
      const id = Array.isArray(path) && isPathOf(path, row, form) ? path : idOf(row, form);
      const kwargs = escapeMembers(members, new Set(pointers));
      return { lc: 1, type: "constructor", id, kwargs, ...rest };
    }
    case "flat":
      return form.language === "js" && !Object.hasOwn(members, "type") ? { ...members, type } : members;
    default:
      return members;
  }
}

/** Each value by itself: a member named `lc` of the message is no sign of anything. */
function escapeMembers(members: JsonObject, live: ReadonlySet<string>): JsonObject {
  const escaped: MutableJsonObject = {};
  for (const key of Object.keys(members)) {
    const below = new Set(
      [...live].filter(pointer => stepsOf(pointer)[0] === key).map(pointer => pointer.slice(`/${key}`.length)),
    );
    setMember(escaped, key, wrapAll(members[key] ?? null, below));
  }
  return escaped;
}

const isPathOf = (path: readonly Json[], row: Class, form: Form): boolean =>
  classOfId(path) === row.name && (path[0] === "langchain") === (form.language === "python");
