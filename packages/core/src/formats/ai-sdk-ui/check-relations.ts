/** What the SDK's validators take and the SDK then stumbles over: ids that repeat, calls that nobody finishes, parts that are left out. */

import type { Path } from "../../model/issue.ts";
import { isJsonObject } from "../../model/json.ts";
import type { UICheckCode, UIIssues } from "./check-codes.ts";
import { notJson, shown } from "./check-rules.ts";
import type { ReadMessage, ReadPart } from "./check-schemas.ts";

interface Check {
  readonly generation: 5 | 6 | 7;
  readonly issues: UIIssues;
}

/** Names seen, with the place of each. */
type Seen = Map<string, Path>;

interface Ids {
  readonly messages: Seen;
  readonly calls: Seen;
  readonly approvals: Seen;
  /** Approvals that stand beside their calls. */
  readonly told: { readonly callId: string; readonly path: Path }[];
}

interface PartPlace extends Check {
  readonly path: Path;
  readonly role: string;
  /** The last message may still be at work. */
  readonly isLast: boolean;
  readonly ids: Ids;
}

export function checkRelations(messages: readonly (ReadMessage | undefined)[], check: Check): void {
  const { generation, issues } = check;
  const ids: Ids = { messages: new Map(), calls: new Map(), approvals: new Map(), told: [] };
  for (const [index, message] of messages.entries()) {
    if (!message) continue;
    const { id, role, parts, metadata } = message;
    named(id, [index, "id"], { seen: ids.messages, code: "duplicate-id", issues });
    plain(metadata, [index, "metadata"], issues);
    if (role === "assistant" && parts.length === 0)
      issues.add("no-parts", [index, "parts"], "is empty: the message says nothing");
    if (role === "system" && generation >= 7)
      issues.add(
        "system-message",
        [index, "role"],
        "is `system`, which is refused unless allowed; use the instructions of the call",
      );
    const isLast = index === messages.length - 1;
    for (const [place, part] of parts.entries()) {
      checkPart(part, { ...check, path: [index, "parts", place], role, isLast, ids });
    }
  }
  for (const { callId, path } of ids.told) {
    if (!ids.calls.has(callId))
      issues.add("orphan-approval", path, `names the call ${shown(callId)}, which is in no message`);
  }
}

function named(
  id: string,
  path: Path,
  { seen, code, issues }: { readonly seen: Seen; readonly code: UICheckCode; readonly issues: UIIssues },
): void {
  if (id === "") {
    issues.add("empty-id", path, "is empty");
    return;
  }
  const first = seen.get(id);
  if (first) issues.add(code, path, `is ${shown(id)} again, as in ${JSON.stringify(first)}`);
  else seen.set(id, path);
}

function plain(value: unknown, path: Path, issues: UIIssues): void {
  const found = value === undefined ? undefined : notJson(value);
  if (found) issues.add("not-json", [...path, ...found.path], `is ${shown(found.value)}, which JSON does not have`);
}

const isTool = (type: string): boolean => type === "dynamic-tool" || type.startsWith("tool-");

/** What a model reads of a message of the user or the system. */
const readOf: { readonly [role: string]: readonly string[] } = { user: ["text", "file"], system: ["text"] };

function checkPart(part: ReadPart, place: PartPlace): void {
  const { type } = part;
  const { path, role, isLast, issues } = place;
  const known = readOf[role];
  if (known && !known.includes(type) && !type.startsWith("data-"))
    issues.add("misplaced-part", path, `is a \`${type}\` in a message of the ${role}: it is left out for a model`);
  if (isTool(type)) checkTool(part, place);
  else if (type.startsWith("data-")) checkData(part, place);
  else if (type === "file" || type === "reasoning-file") checkUrl(part, place);
  if (part["state"] === "streaming" && !isLast)
    issues.add("unfinished-part", [...path, "state"], "is `streaming`, though its message is not the last");
}

function checkData({ type, id, data }: ReadPart, { path, ids, issues }: PartPlace): void {
  plain(data, [...path, "data"], issues);
  if (type !== "data-approval" || !isJsonObject(data) || data["id"] !== id) return;
  const callId: unknown = data["toolCallId"];
  if (typeof callId === "string") ids.told.push({ callId, path: [...path, "data", "toolCallId"] });
}

function checkUrl({ url, providerReference }: ReadPart, { path, issues }: PartPlace): void {
  if (typeof url === "string" && providerReference === undefined && !/^[a-z][a-z\d+.-]*:./i.test(url))
    issues.add("not-a-url", [...path, "url"], `is ${shown(url)}; expected an absolute or a data URL`);
}

/** Why a call that stands in an earlier message is a fault. */
const left: { readonly [state: string]: readonly [UICheckCode, string] } = {
  "input-streaming": ["open-call", "is `input-streaming`: the call was cut off, and is left out for a model"],
  "input-available": ["open-call", "is `input-available`: the call never got a result"],
  "approval-requested": ["open-approval", "is `approval-requested`: nobody answered"],
};

function checkTool(part: ReadPart, place: PartPlace): void {
  const { path, ids, issues, isLast } = place;
  const { type, state, approval, providerExecuted, input, rawInput, preliminary } = part;
  const callId = typeof part["toolCallId"] === "string" ? part["toolCallId"] : "";
  named(callId, [...path, "toolCallId"], { seen: ids.calls, code: "duplicate-call", issues });
  if (type === "tool-invocation" && state === undefined) issues.add("old-part", [...path, "type"], "is of AI SDK 4");
  if (type === "tool-" || part["toolName"] === "")
    issues.add("empty-id", [...path, type === "tool-" ? "type" : "toolName"], "names no tool");
  if (isJsonObject(approval) && typeof approval["id"] === "string")
    named(approval["id"], [...path, "approval", "id"], { seen: ids.approvals, code: "duplicate-approval", issues });
  for (const member of ["input", "output", "rawInput"]) plain(part[member], [...path, member], issues);
  const isAnswered = state === "output-available" || state === "output-error";
  if (isAnswered && input === undefined && rawInput === undefined)
    issues.add("orphan-result", path, "has a result, and says no input that it came from");
  if (isLast || typeof state !== "string") return;
  if (state === "output-available" && preliminary === true)
    issues.add("unfinished-part", [...path, "preliminary"], "is true, though the message is not the last");
  const fault = Object.hasOwn(left, state) && providerExecuted !== true ? left[state] : undefined;
  if (fault) issues.add(fault[0], [...path, "state"], fault[1]);
  if (state === "approval-responded" && isJsonObject(approval) && approval["approved"] === true)
    issues.add("unrun-approval", [...path, "state"], "is `approval-responded`: the call was granted and never run");
}
