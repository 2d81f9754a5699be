import { isJsonObject, type JsonObject } from "translogue";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";
import { type Case, isRefused, objectIn, objects, type Seen } from "./maf-loop-compared.ts";

/** What has no counterpart here. */
export function asideRule(each: Case): MafSessionRule | undefined {
  const flags = objectIn(objectIn(each, "agent"), "flags");
  const off = [
    "useProvidedChatClientAsIs",
    "disableApprovalNotRequiredFunctionBypassing",
    "disableApprovalResponseBinding",
  ];
  if (off.some(flag => flags[flag] === true)) return "maf switched off parts";
  const keyed = objects(each["steps"]).some(({ history }) => isJsonObject(history) && "stateKey" in history);
  const bag = objects(each["steps"]).flatMap(({ bag: operations }) => objects(operations));
  const isHistory = ({ set, remove }: JsonObject) => [set, remove].includes("InMemoryChatHistoryProvider");
  if (keyed || bag.some(isHistory)) return "maf state keys";
  const { toolApproval, contextProviders } = objectIn(each, "agent");
  if (isJsonObject(toolApproval) && "maxAutoApprovalIterations" in toolApproval) return "maf iteration caps";
  if (flags["throwOnChatHistoryProviderConflict"] === false) return "maf history conflicts";
  const isPerCall = flags["requirePerServiceCallChatHistoryPersistence"] === true;
  return isPerCall && objects(contextProviders).length > 0 ? "maf per-call providers" : undefined;
}

/** Why ours refuses what the original takes, or takes what it refuses. */
export function excuse(each: Case, step: JsonObject, seen: Seen): MafSessionRule | MafLoopRule | undefined {
  const error = String(seen.expected["error"] ?? "");
  const run = objectIn(step, "run");
  const isTaken = error !== "" && (!isRefused(seen) || seen.requests.length > 0);
  const contents = (Array.isArray(run["input"]) ? objects(run["input"]) : []).flatMap(message =>
    objects(message["contents"]),
  );
  const isAnswer = contents.some(
    ({ $type, alwaysApprove }) => $type === "toolApprovalResponse" || alwaysApprove !== undefined,
  );
  const tools = objects(objectIn(each, "agent")["tools"]).map(({ name }) => name);
  const told = JSON.stringify(seen.expected).replaceAll("\\", "");
  if (isAnswer && error !== "" && seen.requests.length > 0) return "maf repeated tools";
  if (contents.some(({ $type }) => $type === "functionResult") && error !== "" && seen.requests.length > 0)
    return "maf repeated tools";
  if (run["breakAfter"] !== undefined && told.includes('"$type":"toolApprovalRequest"')) return "maf left requests";
  const parked = namesIn(JSON.stringify(run["session"] ?? "").replaceAll("\\", ""), "_autoApprovedFunctionCalls");
  if (parked.some(name => !tools.includes(name))) return "maf gone tools";
  if (namesIn(told, "_pendingApprovalRequests").some(name => !tools.includes(name)))
    return "maf asked about unknown tools";
  if (Array.isArray(run["input"]) && run["input"].length === 0 && told.includes("No approval response was provided"))
    return "maf forgotten approvals";
  if (isTaken && error.includes("used more than once")) return "maf repeated requests";
  if (isTaken && error.includes("did not return a valid conversation id")) return "maf left conversations of sessions";
  if (isTaken && error.includes("ChatHistoryProvider")) return "maf history conflicts";
  if (isTaken && isJsonObject(run["session"]) && "restore" in run["session"]) return "maf tolerant history";
  const goesOn = objectIn(run, "options")["continuationToken"] !== undefined;
  if (goesOn && seen.requests.length === 0 && objects(seen.expected["requests"]).length > 0) return "maf told again";
  if (goesOn && run["streaming"] !== true && error === "") {
    const earlier = objects(each["steps"]).map(({ out }) => JSON.stringify(out ?? {}));
    if (earlier.some(text => text.includes('"updates"') && text.includes("inputMessages"))) return "maf lost exchanges";
    if (objects(seen.expected["requests"]).length > 1) return "maf continued histories";
    if (objects(each["steps"]).some(({ out }) => isPartial(out))) return "maf piled answers";
  }
  const isKeptBack =
    isJsonObject(objectIn(each, "agent")["toolApproval"]) && objects(seen.expected["requests"]).length === 0;
  if (isKeptBack && error === "" && seen.requests.length > 0) return "maf one request at a time";
  const asked = told.match(/"requestId":"[^"]*"\}(?=,\{"\$type":"toolApprovalRequest"|\],"messageId)/g) ?? [];
  const inResponse = String(seen.expected["response"] ?? "").match(/"requestId":"[^"]*"/g) ?? [];
  if (asked.length > 0 && new Set(inResponse).size < inResponse.length) return "maf repeated requests";
  if (repeatsIds(seen.expected)) return "maf repeated context";
  if (run["input"] === null && error !== "") return "maf null input";
  if (isTaken && error.includes("Duplicate tool name")) return "maf shadowing tools";
  if (isTaken && error.includes("no matching ToolApprovalResponseContent")) return "maf forgotten approvals";
  const { code } = seen;
  if (code === "approval/changed-call") return "maf bound calls";
  if (code === "approval/unknown") return "maf forged approvals";
  if (code === "approval/answered") return "maf repeated answers";
  return undefined;
}

/** A response with a token that has an answer already. */
function isPartial(out: JsonObject[string] | undefined): boolean {
  if (!isJsonObject(out) || typeof out["token"] !== "string" || typeof out["response"] !== "string") return false;
  const response: unknown = JSON.parse(out["response"]);
  return isJsonObject(response) && objects(response["messages"]).length > 0;
}

function repeatsIds({ requests }: JsonObject): boolean {
  return objects(requests).some(({ messages }) => {
    const ids = objects(messages).flatMap(({ role, messageId }) => (role === "user" && messageId ? [messageId] : []));
    return new Set(ids).size < ids.length;
  });
}

/** Names of functions in a list of the state bag. */
function namesIn(text: string, key: string): readonly string[] {
  const from = text.indexOf(`"${key}":[`);
  if (from < 0) return [];
  const list = text.slice(from, text.indexOf("]", from));
  return [...list.matchAll(/"\$type":"functionCall","name":"([^"]*)"/g)].map(([, name = ""]) => name);
}
