import { isJsonObject, type Json, type JsonObject, type Path } from "translogue";
import type { Fault } from "../members.ts";

/** What no client may send, whatever a reader makes of it. Places are those of the list. */
export function wireFaults(list: readonly Json[]): readonly Fault[] {
  const faults: Fault[] = [];
  const ids = new Set<string>();
  for (const [index, message] of list.entries()) {
    if (!isJsonObject(message)) continue;
    const { id, role, parts } = message;
    if (typeof id === "string" && ids.has(id)) {
      faults.push({ code: "same-id", path: [index, "id"], message: `another message has the id \`${id}\` already` });
    }
    if (typeof id === "string") ids.add(id);
    if (!Array.isArray(parts)) continue;
    for (const [place, part] of parts.entries()) {
      if (isJsonObject(part)) faults.push(...partFaults(part, [index, "parts", place], role));
    }
  }
  return faults;
}

function partFaults(part: JsonObject, path: Path, role: Json | undefined): Fault[] {
  const type = typeof part["type"] === "string" ? part["type"] : "";
  const isApproval = type === "data-approval";
  const isTool = isApproval || type === "dynamic-tool" || type.startsWith("tool-");
  if (!isTool) return [];
  if (role !== "assistant") {
    const message = `a message of role \`${String(role)}\` has no tools; calls, results and approvals stand in the assistant's`;
    return [{ code: "role", path, message }];
  }
  const member = isApproval ? "data" : "approval";
  const approval = part[member];
  if (approval === undefined) return [];
  const at = [...path, member];
  if (!isJsonObject(approval)) return [{ code: "approval", path: at, message: "expected an object with `id`" }];
  const { approved } = approval;
  const isAnswered = part["state"] === "approval-responded" || part["state"] === "output-denied";
  if (typeof approved === "boolean" || (approved === undefined && !isAnswered)) return [];
  const message = `expected \`true\` or \`false\`, found ${JSON.stringify(approved) ?? "nothing"}`;
  return [{ code: "approved", path: [...at, "approved"], message }];
}
