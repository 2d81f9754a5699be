import { isJsonObject, TranslogueError } from "translogue";
import type { ServerConfig } from "./config.ts";

interface Rule {
  readonly is: (value: unknown) => boolean;
  /** What the option takes, in words. */
  readonly takes: string;
  readonly isRequired?: true;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
/** Whether a value has methods of these names. */
const offers =
  (...methods: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) && methods.every(name => typeof Reflect.get(value, name) === "function");
const isFunction = (value: unknown): boolean => typeof value === "function";
const isCount = (least: number) => (value: unknown) => Number.isSafeInteger(value) && Number(value) >= least;

const list = (takes: string, isItem: (value: object) => boolean): Rule => ({
  is: value => Array.isArray(value) && value.every(item => isObject(item) && isItem(item)),
  takes,
});
const oneOf = (...values: readonly (string | number)[]): Rule => ({
  is: value => values.some(each => each === value),
  takes: values.map(value => JSON.stringify(value)).join(", "),
});
const count = (least: number, takes: string): Rule => ({ is: isCount(least), takes });
const method: Rule = { is: isFunction, takes: "a function" };

const hasModels = (value: unknown): boolean =>
  isObject(value) && Array.isArray(Reflect.get(value, "list")) && offers("resolve")(value);
const hasOrigins = (value: unknown): boolean => {
  const origins = isObject(value) ? Reflect.get(value, "origins") : undefined;
  return origins === "*" || (Array.isArray(origins) && origins.every(origin => typeof origin === "string"));
};
const isTool = (offer: object): boolean => {
  const tool: unknown = Reflect.get(offer, "tool");
  return isObject(tool) && typeof Reflect.get(tool, "name") === "string";
};

const rules: { readonly [option in keyof Required<ServerConfig>]: Rule } = {
  agent: { is: offers("runStreaming", "createSession"), takes: "an agent, of `createAgent` say", isRequired: true },
  models: {
    is: hasModels,
    takes: "the models that requests may name, of `createModelRouter` or `modelsFromEnvironment` say",
    isRequired: true,
  },
  store: { is: offers("claim", "read", "list"), takes: "a store, of `sqliteStore` say", isRequired: true },
  defaultModel: {
    is: value => typeof value === "string" && /^[^/]+\/./.test(value),
    takes: "a model named `provider/model`",
  },
  generation: oneOf(5, 6, 7),
  tools: list("a list of `{ tool }`, each tool with a name", isTool),
  promptTypes: list("a list of `{ id, description }`", type => typeof Reflect.get(type, "id") === "string"),
  contextFields: { is: value => isJsonObject(value), takes: "fields by name" },
  clientSystem: oneOf("allow", "refuse"),
  authenticate: method,
  cors: { is: hasOrigins, takes: '`{ origins }`, "*" or a list of origins' },
  maxBodyBytes: count(1, "a number of bytes, 1 or more"),
  maxBodyDepth: count(1, "a number of levels, 1 or more"),
  maxMessages: count(1, "a number of messages, 1 or more"),
  studioDir: { is: value => typeof value === "string" && value !== "", takes: "the path of a folder" },
  busyWaitMs: count(0, "milliseconds, 0 or more"),
  drainMs: count(0, "milliseconds, 0 or more"),
  keepAliveMs: count(1, "milliseconds, 1 or more"),
  log: method,
  now: method,
  newId: method,
};

/** Throws `server/config` for the first option that cannot be meant: one that is unknown, missing, or of another kind. */
export function checkConfig(config: ServerConfig): void {
  if (!isObject(config)) throw invalid("a server needs its options, at least `agent`, `models` and `store`");
  for (const option of Object.keys(config)) {
    if (Object.hasOwn(rules, option)) continue;
    throw invalid(`there is no option \`${option}\`; there are ${Object.keys(rules).join(", ")}`);
  }
  for (const [option, { is, takes, isRequired }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(config, option);
    if (value === undefined && !isRequired) continue;
    if (!is(value)) throw invalid(`the option \`${option}\` takes ${takes}; found ${found(value)}`);
  }
}

/** A value in a few words; of objects only their kind, for they may hold secrets. */
function found(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list that is none of these";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null)
    return JSON.stringify(value);
  return typeof value === "object" ? "another object" : `a ${typeof value}`;
}

export const invalid = (message: string): TranslogueError => new TranslogueError("server/config", message);
