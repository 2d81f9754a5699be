/** The numbers by which error texts name a place in a request. */

import type { Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";
import type { Target } from "./target.ts";
import type { View } from "./turns.ts";
import { wirePlaces } from "./wire-places.ts";

/** Each counts from 0. */
export interface Position {
  readonly message?: number;
  /** Of the message's content. */
  readonly part?: number;
  /** Of the message's calls. */
  readonly call?: number;
  /** Of what a result holds. */
  readonly inner?: number;
  readonly tool?: number;
}

interface Form {
  readonly pattern: RegExp;
  /** The first is 1. */
  readonly fromOne?: true;
}

const index = (name: string): string => `(?:\\.?\\[(?<${name}>\\d{1,6})\\]|[./](?<${name}_>\\d{1,6}))`;

/** The first that a text has says where. */
const forms: readonly Form[] = [
  {
    pattern:
      /\bmessages\.(?<message>\d{1,6})\.member(?:\.content\.(?<part>\d{1,6})\.member(?:\.toolResult\.content\.(?<inner>\d{1,6})\.member)?)?/,
    fromOne: true,
  },
  {
    pattern: new RegExp(
      `\\b(?:messages?|contents|input)${index("message")}` +
        `(?:[./]?(?:content|parts|output)${index("part")}(?:[./](?:tool_result|toolResult|tool_result_block)[./](?:content|output)${index("inner")})?` +
        `|\\.tool_calls${index("call")})?`,
    ),
  },
  // Where an error is told by the names and numbers that lead to it (FastAPI).
  {
    pattern:
      /["']messages["'],\s*(?<message>\d{1,6})(?:,\s*["']\w+["'])?(?:,\s*["'](?:content|parts)["'](?:,\s*["'][\w[\]{},]+["'])?,\s*(?<part>\d{1,6})|,\s*["']tool_calls["'],\s*(?<call>\d{1,6}))?/,
  },
  { pattern: /\bmessage (?:at )?(?:index|position) (?<message>\d{1,6})/ },
  { pattern: /\bin the (?<message>\d{1,6})\. content block/, fromOne: true },
  { pattern: /\btools\.(?<tool>\d{1,6})\.member/, fromOne: true },
  { pattern: new RegExp(`\\btools${index("outer")}\\.function_declarations${index("tool")}`) },
  { pattern: new RegExp(`\\btools${index("tool")}`) },
];

/** Where an error text says that it is; nothing where it does not say. */
export function positionIn(text: string): Position {
  for (const { pattern, fromOne } of forms) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) continue;
    const numbers = (["message", "part", "call", "inner", "tool"] as const).flatMap(name => {
      const found = groups[name] ?? groups[`${name}_`];
      return found === undefined ? [] : [[name, Math.max(0, Number(found) - (fromOne ? 1 : 0))]];
    });
    return Object.fromEntries(numbers) as Position; // by its own names
  }
  return {};
}

/** The piece of the conversation that stands there. */
export function pathOf({ message, part, call, inner, tool }: Position, view: View, target: Target): Path | undefined {
  const { tools = [], messages } = view.conversation;
  if (tool !== undefined && message === undefined) return tool < tools.length ? ["tools", tool] : undefined;
  if (message === undefined) return undefined;
  const path = wirePlaces(view, target).pathAt(message, part);
  const [, place, , own] = path ?? [];
  if (!path || typeof place !== "number") return path;
  const parts = messages[place]?.parts ?? [];
  if (call !== undefined) {
    const calls = [...parts.keys()].filter(index => parts[index]?.type === "tool-call");
    return calls[call] === undefined ? path.slice(0, 2) : ["messages", place, "parts", calls[call]];
  }
  if (typeof own !== "number") return path;
  const found = parts[own];
  if (!found) return path.slice(0, 2);
  return inner !== undefined && holds(found, inner) ? [...path, "output", inner] : path;
}

const holds = (part: Part, inner: number): boolean => part.type === "tool-result" && part.output?.[inner] !== undefined;
