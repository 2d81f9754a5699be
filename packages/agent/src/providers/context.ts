import { isJsonObject, type Message } from "translogue";
import { failure } from "../errors.ts";
import { checkedMessages, wrongGiven } from "../hooks.ts";
import { areTools } from "../options.ts";
import type { AgentTool } from "../tools/tool.ts";
import type { ProviderContext, RunExchange } from "./history.ts";

/** What a provider sees of the run that begins: with what those before it added. */
export interface ContextRequest extends ProviderContext {
  readonly history: readonly Message[];
  /** Messages that providers before this one added. */
  readonly context: readonly Message[];
  readonly instructions?: string;
  readonly tools: readonly AgentTool[];
}

/** What a provider adds to a run. */
export interface AddedContext {
  /** After those there are, on a line of their own. */
  readonly instructions?: string;
  /** After the input. They are kept with it, as `synthetic: "context"`. */
  readonly messages?: readonly Message[];
  /** Beside those there are; a tool of the agent or the run goes before one of the same name. */
  readonly tools?: readonly AgentTool[];
}

/** Memory, retrieval, the time of day: adds to runs before they begin, and sees what came of them. */
export interface ContextProvider {
  readonly name: string;
  /** Keys of the state bag that it keeps its state under, which no other provider of the agent may have. Default: its name. */
  readonly stateKeys?: readonly string[];
  /** Before a run. What it throws ends the run before it begins. Not asked where a cut run goes on. */
  before?(request: ContextRequest): AddedContext | undefined | Promise<AddedContext | undefined>;
  /** After a run, whatever ended it. What it throws is the run's error, and providers behind it are told all the same. */
  after?(context: ProviderContext, exchange: RunExchange): void | Promise<void>;
}

const members = ["instructions", "messages", "tools"];

/** What a provider gave; null and nothing add nothing. Throws `context/failed`: what cannot be read would be gone without a word. */
export function checkedContext({ name }: Pick<ContextProvider, "name">, given: unknown): AddedContext | undefined {
  if (given === undefined || given === null) return undefined;
  const by = `\`before\` of the context provider \`${name}\``;
  const code = "context/failed";
  if (!isJsonObject(given)) throw wrongGiven(given, { by, code, give: "an object, or nothing" });
  const { instructions, messages, tools }: { readonly [name: string]: unknown } = given;
  const unknown = Object.keys(given).find(member => !members.includes(member));
  if (unknown !== undefined)
    throw failure(code, `${by} gave \`${unknown}\`, which nothing comes of: there are \`${members.join("`, `")}\``);
  if (!isAbsent(instructions) && typeof instructions !== "string")
    throw wrongGiven(instructions, { by: `${by}, as \`instructions\`,`, code, give: "a text" });
  if (!isAbsent(messages)) checkedMessages(messages, `${by}, as \`messages\`,`, { code });
  if (!isAbsent(tools) && !areTools(tools))
    throw wrongGiven(tools, {
      by: `${by}, as \`tools\`,`,
      code,
      give: "a list of nothing but tools, as `defineTool` makes them",
    });
  return given;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
