import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  accumulate,
  type Conversation,
  decode,
  encode,
  type FormatId,
  isJsonObject,
  type Json,
  runAll,
  streamDecoder,
} from "translogue";
import { contentBlocks } from "translogue/langchain";
import { deepFreeze } from "../../difference.ts";
import { keeps } from "../../keeps.ts";
import { type CaseResult, claims, type Runner, type World } from "../case.ts";
import { answersIn } from "./answers.ts";
import { judged } from "./langchain-adapters.ts";
import { answerOptions } from "./langchain-answer-allowances.ts";
import { type About, type Case, casesOf, fieldsOf, formatOf, listOf, memberOf, ruled } from "./langchain-specs.ts";
import { untag } from "./tags.ts";

/** What LangChain's classes keep of a recorded answer, whole or streamed, our message keeps in the same members. */
export const langchainAdapterAnswers: Runner = {
  name: "langchain adapters' answers",
  reads: file => file.folder === "langchain" && file.kind === "response",
  async *run(file, world) {
    for (const each of casesOf(file)) yield* answered({ format: "langchain adapter", name: each.name }, each, world);
  },
};

async function* answered(about: About, each: Case, world: World): AsyncIterable<CaseResult> {
  const provider = formatOf(String(each["target"]));
  const text = textOf(String(each["recording"]), world);
  if (!provider) yield ruled(about, "other providers' adapters");
  else if (text === undefined) yield { ...about, outcome: { status: "set-aside", rule: "recording not found" } };
  else {
    const ours = (): Conversation => readAnswer(text, { provider, isStream: each["stream"] !== undefined });
    const said = each["invoke"] ?? each["stream"] ?? null;
    const theirs = memberOf(said, "merged") ?? said;
    if (memberOf(theirs, "json") === undefined) {
      const read = await claims(about, [() => (ours().messages.length > 0 ? undefined : "nothing is read")]);
      yield read.outcome.status === "passed" ? ruled(about, "adapter throws on the answer") : read;
      return;
    }
    if (answersIn(eventsOf(text)) > 1) {
      yield ruled(about, "several answers for one");
      return;
    }
    yield* judged(about, () => {
      const isStream = each["stream"] !== undefined;
      const all = {
        theirs: theirMessage(masked(untag(theirs))),
        ...ourMessage(ours()),
        isStream,
        events: eventsOf(text),
      };
      return keeps(all.theirs, all.ours, answerOptions(all));
    });
  }
}

function textOf(recording: string, { roots }: World): string | undefined {
  const path = roots.map(root => join(root, "recordings", recording)).find(existsSync);
  return path === undefined ? undefined : readFileSync(path, "utf8");
}

function readAnswer(
  text: string,
  { provider, isStream }: { readonly provider: FormatId; readonly isStream: boolean },
): Conversation {
  if (!isStream) return decode(deepFreeze(JSON.parse(text) as Json), { from: provider, shape: "answer" }).conversation; // JSON is Json
  return { messages: accumulate(runAll(streamDecoder(provider), eventsOf(text))) };
}

const eventsOf = (text: string): readonly Json[] =>
  text.split("\n").flatMap((line): Json[] => {
    try {
      return [JSON.parse(line) as Json]; // JSON is Json
    } catch {
      return []; // empty lines, and what a broken stream holds
    }
  });

/** Ids that the class made up. */
const masked = (value: Json): Json => JSON.parse(JSON.stringify(value).replaceAll(/<id-(\d+)>/g, "<guid-$1>")) as Json; // JSON is Json

/** The members of a message; its content as the blocks that LangChain sees in it. */
function theirMessage(message: Json): Json {
  const { content: _, type: __, tool_call_chunks: ___, ...members } = fieldsOf(memberOf(message, "json"));
  return { ...members, contentBlocks: joinTexts(listOf(memberOf(message, "contentBlocks"))) };
}

/** Our message as the file has theirs, and all of its words. */
function ourMessage(conversation: Conversation): { readonly ours: Json; readonly words: string } {
  const { value } = encode(conversation, {
    to: "langchain:js-lc",
    shape: "messages",
    recipient: "client",
    carry: false,
  });
  const [message, ...others] = listOf(value as Json).filter(wire =>
    JSON.stringify(memberOf(wire, "id")).includes("AIMessage"),
  ); // an encoder gives JSON
  if (!message || others.length > 0) throw new Error(`${others.length + 1} answers, expected one`);
  const { content: _, ...members } = fieldsOf(message);
  const blocks = joinTexts(contentBlocks(message, { language: "js" }));
  const words = blocks
    .map(block => (memberOf(block, "type") === "text" ? String(memberOf(block, "text")) : ""))
    .join("");
  return { ours: shortened({ ...members, contentBlocks: blocks }), words };
}

/** A text that a stream brought in pieces is one. */
function joinTexts(blocks: readonly Json[]): readonly Json[] {
  const joined: Json[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const [before, text] = [memberOf(last, "text"), memberOf(block, "text")];
    const isText = memberOf(block, "type") === "text" && memberOf(last, "type") === "text";
    if (
      isText &&
      typeof before === "string" &&
      typeof text === "string" &&
      isJsonObject(last ?? null) &&
      isJsonObject(block)
    ) {
      const annotations = [...listOf(memberOf(last, "annotations")), ...listOf(block["annotations"])];
      joined[joined.length - 1] = { ...(last as object), ...block, text: before + text, annotations };
    } else joined.push(block);
  }
  return joined;
}

/** Long texts as the file has them. */
function shortened(value: Json): Json {
  if (typeof value === "string") {
    if (value.length <= 1500) return value;
    const sha256 = createHash("sha256").update(value).digest("hex");
    return { $long: { length: value.length, sha256, start: value.slice(0, 48) } };
  }
  if (Array.isArray(value)) return value.map(item => shortened(item as Json)); // an item of JSON
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}
