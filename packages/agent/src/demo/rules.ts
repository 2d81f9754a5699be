import { isJsonObject, type Json, type JsonObject, type ToolResultPart } from "translogue";
import { clipped } from "../cut-text.ts";
import { additionOf, evaluate, sumsIn } from "./arithmetic.ts";
import type { Turn } from "./turn.ts";
import { cities, citiesIn, cityNamed, skies } from "./weather.ts";
import { words } from "./words.ts";

/** What the demo model is going to say and call. */
export interface Plan {
  readonly reasoning: string;
  readonly text?: string;
  readonly calls?: readonly DemoCall[];
  /** The answer breaks off with it. */
  readonly error?: string;
}

export interface DemoCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** The answer to a turn: results are put into words, else the rules are tried one after another. */
export function planFor(turn: Turn): Plan {
  const say = words[turn.language];
  if (turn.done.length > 0) return { reasoning: say.thinkResults, text: outcomesOf(turn) };
  const calls = callRules.flatMap(rule => rule(turn)).filter(({ name }) => turn.tools.has(name));
  if (calls.length > 0) {
    const names = [...new Set(calls.map(({ name }) => `\`${name}\``))].join(", ");
    return { reasoning: say.thinkCalls(names), calls };
  }
  if (/\bmodel error\b|模型错误/i.test(turn.text)) {
    return { reasoning: say.thinkText, text: say.breaksOff, error: "the demo model broke off, as it was asked to" };
  }
  return { reasoning: say.thinkText, text: textFor(turn) };
}

// calls

type CallRule = (turn: Turn) => DemoCall[];

const callRules: readonly CallRule[] = [
  namedTool,
  ({ text, tools }) =>
    sumsIn(text).map(expression => {
      const addition = tools.has("add") ? additionOf(expression) : undefined;
      return addition ? { name: "add", input: { ...addition } } : { name: "calculate", input: { expression } };
    }),
  ({ text, language }) => {
    if (!isAboutWeather(text)) return [];
    return citiesIn(text).map(city => ({ name: "get_weather", input: { city: city[language] } }));
  },
  ({ text, language }) => {
    if (!/\bwhat(?:'s| is)? (?:the )?(?:time|date)\b|\btime is it\b|几点|现在.*时间|今天.*几号/i.test(text)) return [];
    return [{ name: "get_time", input: language === "zh" ? { timezone: "Asia/Shanghai" } : {} }];
  },
  ({ text }) => {
    const topic = /\bresearch\s+(.+)|调研(.+)|查资料[:：]?(.+)/i.exec(text);
    return topic ? [{ name: "research", input: { topic: (topic[1] ?? topic[2] ?? topic[3] ?? "").trim() } }] : [];
  },
  ({ text, language }) => {
    if (!/\bsend\b.*\be-?mail\b|\be-?mail\b.*\bto\b|发.*邮件|邮件.*发/is.test(text)) return [];
    const to = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0] ?? "ada@example.com";
    const subject = language === "zh" ? "来自演示的问候" : "A greeting from the demo";
    return [{ name: "send_email", input: { to, subject, body: text } }];
  },
  ({ text }) => {
    const found = /\bdelete (?:the |my )?(?:note )?["“]?([^"”.\n]+)|删除(?:笔记)?[“"]?([^”"。\n]+)/i.exec(text);
    return found ? [{ name: "delete_note", input: { title: (found[1] ?? found[2] ?? "").trim() } }] : [];
  },
  ({ text }) =>
    /\bfail on purpose\b|\bfailing tool\b|故意失败|故意出错/i.test(text)
      ? [{ name: "fail_on_purpose", input: { reason: "This tool always fails." } }]
      : [],
];

/** Any tool that is offered can be asked for by its name, with its arguments as JSON behind it. */
function namedTool({ text, tools }: Turn): DemoCall[] {
  const isAsked = /\b(?:call|use|tool)\b|调用|使用|工具/i.test(text);
  return [...tools].flatMap(name => {
    const at = text.indexOf(name);
    const end = at + name.length;
    if (at < 0 || /\w/.test(text[at - 1] ?? "") || /\w/.test(text[end] ?? "")) return [];
    // A name of one word may be just a word.
    return isAsked || /[_-]/.test(name) ? [{ name, input: jsonIn(text.slice(end)) }] : [];
  });
}

function jsonIn(text: string): JsonObject {
  const [begin, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (begin < 0 || end < begin) return {};
  try {
    const value: unknown = JSON.parse(text.slice(begin, end + 1));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const isAboutWeather = (text: string): boolean => /\bweather\b|\btemperature\b|天气|气温/i.test(text);

// texts

function textFor({ text, files, language }: Turn): string {
  const say = words[language];
  if (files.length > 0) {
    const list = files.map(({ name, mediaType }) => name ?? mediaType ?? "a file").join(", ");
    return say.files(list);
  }
  if (text.trim() === "") return say.nothing;
  const length = lengthAsked(text);
  if (length !== undefined) return longText(language, length);
  if (/\bmarkdown\b|\bcode\b|\btable\b|代码|表格/i.test(text)) return say.sample;
  if (isAboutWeather(text))
    return say.whichCity(cities.map(city => city[language]).join(language === "zh" ? "、" : ", "));
  const sums = sumsIn(text).flatMap(calculated);
  return sums.length > 0 ? `${sums.join("; ")}${say.end}` : say.help(clipped(text, 200));
}

/** Without the tools it still can count. */
function calculated(expression: string): string[] {
  try {
    return [`${expression} = ${evaluate(expression)}`];
  } catch {
    return [];
  }
}

const longest = 20_000;

function lengthAsked(text: string): number | undefined {
  const found = /(\d[\d,]*)[\s-]*(?:words?\b|字)/i.exec(text);
  if (found) return Math.min(Number((found[1] ?? "").replaceAll(",", "")), longest);
  return /\blong (?:answer|text|story|essay)\b|长文|长篇/i.test(text) ? 1000 : undefined;
}

function longText(language: Turn["language"], count: number): string {
  const say = words[language];
  const paragraphs: string[] = [];
  let sentences: string[] = [];
  let written = 0;
  for (let index = 0; written < count; index++) {
    const sentence = say.longSentences[index % say.longSentences.length] ?? "";
    written += language === "zh" ? sentence.length : sentence.split(" ").length;
    sentences.push(sentence);
    if (sentences.length < say.longSentences.length && written < count) continue;
    paragraphs.push(sentences.join(language === "zh" ? "" : " "));
    sentences = [];
  }
  return [say.longTitle(count), ...paragraphs].join("\n\n");
}

// results

function outcomesOf(turn: Turn): string {
  const say = words[turn.language];
  const lines = turn.done.map(({ call, result }) => {
    const input = isJsonObject(call.input) ? call.input : {};
    if (result.outcome === "denied") return say.denied(call.name, reasonIn(wordsOf(result)));
    if (result.outcome) return say.failed(call.name, wordsOf(result));
    return successOf(call.name, { input, output: outputOf(result), turn });
  });
  return lines.join("\n\n");
}

interface Success {
  readonly input: JsonObject;
  readonly output: Json;
  readonly turn: Turn;
}

function successOf(tool: string, { input, output, turn }: Success): string {
  const say = words[turn.language];
  const facts = isJsonObject(output) ? output : {};
  const text = (member: string): string => String(facts[member] ?? "");
  switch (tool) {
    case "add":
      return `${input["a"]} + ${input["b"]} = ${JSON.stringify(output)}${say.end}`;
    case "calculate":
      return `${input["expression"]} = ${JSON.stringify(output)}${say.end}`;
    case "get_weather": {
      const city = cityNamed(text("city"));
      if (!city) break;
      return say.weather(city[turn.language], city.celsius, skies[city.sky][turn.language]);
    }
    case "get_time":
      return say.time(text("time"), text("timezone"));
    case "send_email":
      return say.sent(text("to"));
    case "delete_note":
      return say.deleted(text("deleted"));
    case "research":
      return say.researched(text("topic"), Number(facts["sources"] ?? 0));
  }
  return say.gave(tool, JSON.stringify(output, undefined, 2));
}

function outputOf({ output = [] }: ToolResultPart): Json {
  const [only] = output;
  if (output.length === 1 && only?.type === "data") return only.data;
  return output.map(part => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

const wordsOf = (result: ToolResultPart): string => {
  const value = outputOf(result);
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** What the person said, behind the sentence that every denied call gets. */
const reasonIn = (text: string): string => /must not be retried\. (.+)$/s.exec(text)?.[1] ?? "";
