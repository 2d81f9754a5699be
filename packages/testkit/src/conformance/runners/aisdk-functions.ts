import { encodeSse, isJsonObject, type Json, partialJson } from "translogue";
import {
  aiSdkUi,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "translogue/ai-sdk-ui";
import { difference } from "../../difference.ts";
import { type Generation, generations } from "../../generations.ts";
import { type CaseResult, claims, type Outcome, type Runner } from "../case.ts";
import { pruneCase } from "./aisdk-history.ts";
import { untag } from "./tags.ts";

const format = "ai-sdk-ui helpers";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

type JsonRecord = { readonly [member: string]: Json };
type Messages = Parameters<typeof lastAssistantMessageIsCompleteWithToolCalls>[0]["messages"];

/** The SDK's smaller functions: whether a chat can be sent on, JSON that is not whole, bodies of streams. */
export const aisdkHelpers: Runner = {
  name: "aisdk helpers",
  reads: file => file.folder === "aisdk" && file.kind === "helpers",
  async *run(file) {
    const { cases } = JSON.parse(file.read()) as { readonly cases: readonly Case[] }; // as the folder's README says
    for (const each of cases) {
      for (const generation of generations) {
        const out = isJsonObject(each["out"]) ? each["out"][generation] : undefined;
        if (isJsonObject(out)) yield await helperCase(each, generation, out);
        else if (out !== undefined && isPruning(each))
          yield await pruneCase(each, { format, name: `${each.name} ${generation}` }, { generation, out });
      }
    }
  },
};

async function helperCase(each: Case, generation: Generation, out: JsonRecord): Promise<CaseResult> {
  const about = { format, name: `${each.name} ${generation}` };
  if (isPruning(each)) return await pruneCase(each, about, { generation, out });
  if (Array.isArray(each["chunks"])) return await claims(about, [() => bodyOf(each["chunks"] ?? [], out)]);
  if (Array.isArray(each["messages"])) {
    const messages = untag(each["messages"]) as unknown as Messages; // as the SDK was given them
    return await claims(about, [() => difference(completeness(messages, generation, out), out)]);
  }
  if (typeof each["text"] === "string") return await partialCase(about, each["text"], out);
  return {
    ...about,
    outcome: { status: "failed", reason: "a case of another sort than pruning, sending, JSON or bodies" },
  };
}

/** Nothing else has options. */
const isPruning = (each: Case): boolean => Object.hasOwn(each, "options");

const aside = (rule: string): { readonly outcome: Outcome } => ({ outcome: { status: "set-aside", rule } });

/** Generation 5 has no question for approvals. */
function completeness(messages: Messages, version: Generation, out: JsonRecord): JsonRecord {
  return {
    toolCalls: lastAssistantMessageIsCompleteWithToolCalls({ messages, version }),
    ...(Object.hasOwn(out, "approvalResponses") && {
      approvalResponses: lastAssistantMessageIsCompleteWithApprovalResponses({ messages }),
    }),
  };
}

function bodyOf(chunks: Json, out: JsonRecord): string | undefined {
  const events = (Array.isArray(chunks) ? chunks : []).map(chunk => encodeSse({ data: JSON.stringify(untag(chunk)) }));
  const done = encodeSse({ data: aiSdkUi.stream?.done ?? "" });
  return difference(`${events.join("")}${done}`, out["body"]);
}

const states: { readonly [state: string]: readonly string[] } = {
  "successful-parse": ["complete"],
  "repaired-parse": ["partial"],
  "failed-parse": ["empty", "invalid"],
};

/** Text piece by piece and at once; where the two differ on purpose, why. */
async function partialCase(
  about: { readonly format: string; readonly name: string },
  text: string,
  out: JsonRecord,
): Promise<CaseResult> {
  const whole = partialJson();
  whole.push(text);
  const pieces = partialJson();
  for (const character of text) pieces.push(character);
  const same = (): string | undefined =>
    difference([pieces.state, pieces.value ?? null], [whole.state, whole.value ?? null]);
  const isState = states[String(out["state"])]?.includes(whole.state);
  const unlike = isState ? undefined : `the SDK says ${String(out["state"])}, and ours ${whole.state}`;
  const reason = unlike ?? (out["state"] === "failed-parse" ? undefined : difference(whole.value, out["value"]));
  const rule = reason && differenceOf(text, { state: whole.state, value: whole.value }, out);
  const result = await claims(about, [same, () => (rule ? undefined : reason)]);
  return rule && result.outcome.status === "passed" ? { ...about, ...aside(rule) } : result;
}

/** The rule by which ours differs; undefined where it must not. */
function differenceOf(
  text: string,
  ours: { readonly state: string; readonly value: Json | undefined },
  out: JsonRecord,
): string | undefined {
  const failed = out["state"] === "failed-parse";
  if (failed && /"(?:__proto__|constructor)"/.test(text)) return "guarded names";
  if (failed && ours.state === "partial" && text.trim() === "-") return "half a word";
  if (failed && ours.state === "partial" && /\\u[\da-f]{0,3}$/i.test(text)) return "half an escape";
  if (out["state"] !== "repaired-parse") return undefined;
  if (/[[{:,\s](?:t|tr|tru|f|fa|fal|fals|n|nu|nul)$|^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)$/.test(text))
    return "half a word";
  // What it shows of a text that is no JSON any more is what stood before the fault.
  const isSame = difference(ours.value, out["value"]) === undefined;
  return ours.state === "invalid" && isSame ? "no JSON any more" : undefined;
}
