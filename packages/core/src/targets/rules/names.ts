import type { Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import type { Spelling } from "../target.ts";
import { isPlaced, sideOf, type Turn } from "../turns.ts";
import { addedBy } from "./defined-tools.ts";
import { callsOf } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";
import { saidIn } from "./said.ts";

interface Patterns {
  readonly all: RegExp | undefined;
  readonly first: RegExp | undefined;
}

/** Compiled once: every id of a history is looked at. */
const patternsBySpelling = new WeakMap<Spelling, Patterns>();

function patternsOf(spelling: Spelling): Patterns {
  const known = patternsBySpelling.get(spelling);
  if (known) return known;
  const { characters, first } = spelling;
  const patterns = {
    all: characters === undefined ? undefined : new RegExp(`^[${characters}]*$`),
    first: first === undefined ? undefined : new RegExp(`^[${first}]`),
  };
  patternsBySpelling.set(spelling, patterns);
  return patterns;
}

/** What is wrong with a name, for a reader. */
export function misspelled(name: string, spelling: Spelling): string | undefined {
  const { characters, first, most, fewest } = spelling;
  const patterns = patternsOf(spelling);
  if (most !== undefined && name.length > most) return `is ${name.length} characters long, of at most ${most}`;
  if (fewest !== undefined && name.length < fewest) return `is ${name.length} characters long, of at least ${fewest}`;
  if (patterns.all?.test(name) === false) return `has characters other than ${characters}`;
  if (name !== "" && patterns.first?.test(name) === false) return `begins with a character other than ${first}`;
  return undefined;
}

export const callIds: RuleCheck<"call-ids"> = (view, spelling, { report }) => {
  const known = new Map<string, string | undefined>();
  for (const { parts, side } of view.turns) {
    for (const placed of parts) {
      const isCall = isPlaced(placed, "tool-call") && placed.part.executedBy !== "provider";
      const isResult = isPlaced(placed, "tool-result") && side !== "assistant";
      if (!isCall && !isResult) continue;
      const { callId } = placed.part;
      // Encoders write a made id as the target takes it (R8).
      if (callId.startsWith("~")) continue;
      if (!known.has(callId)) known.set(callId, misspelled(callId, spelling));
      const fault = known.get(callId);
      if (fault === undefined) continue;
      report(
        [...placed.path, "callId"],
        `is \`${callId}\`, which ${fault}. Rename it, in the call and in its result.`,
        {
          id: callId,
          length: callId.length,
          ...(spelling.most !== undefined && { most: spelling.most }),
        },
      );
    }
  }
};

/** Some pack the seal of another maker into an id (LiteLLM); it goes to nobody by that way. */
export const isPacked = (id: string): boolean => id.includes(packMark);
export const packMark = "__thought__";

export const idsUnpacked: RuleCheck<"ids-unpacked"> = (view, _, { report }) => {
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) {
      if (!("callId" in part) || part.callId === undefined || !isPacked(part.callId)) continue;
      report(
        [...path, "callId"],
        "has what another maker sealed packed into an id. Rename it, in the call and in its result.",
        { id: part.callId },
      );
    }
  }
};

export const callIdsUnique: RuleCheck<"call-ids-unique"> = (view, { among }, { report }) => {
  const known = new Set<string>();
  // In whatever turn: a result that follows is taken for that of the nearest.
  const hosted = new Set(view.turns.flatMap(hostedIn));
  for (const turn of view.turns) {
    if (turn.side !== "assistant") continue;
    if (among === "message") known.clear();
    for (const { part, path } of callsOf(turn)) {
      if (known.has(part.callId) || hosted.has(part.callId)) {
        const beside = among === "message" ? "of the same turn" : "before it";
        const where = known.has(part.callId) ? beside : "that the provider runs";
        report([...path, "callId"], `is \`${part.callId}\`, as that of a call ${where}. Give each call its own id.`, {
          id: part.callId,
        });
      }
      known.add(part.callId);
    }
  }
};

/** Ids of the calls that the provider runs. */
const hostedIn = (turn: Turn): readonly string[] =>
  turn.parts.flatMap(({ part }) => (part.type === "tool-call" && part.executedBy === "provider" ? part.callId : []));

/** How a tool is called on the wire: of tools of one name a codec tells the later ones apart (`f:2`), and keeps what they are called. */
export function wireName({ name, native }: Pick<Tool, "name" | "native">, family: string): string {
  const own = native?.[family]?.["$name"];
  return typeof own === "string" && name.startsWith(`${own}:`) ? own : name;
}

/** Tools that whoever holds the conversation names. */
export const isOwnTool = ({ kind }: Pick<Tool, "kind">): boolean => kind === undefined || kind === "custom";

/** Tools whose name on the wire one before them has. */
export function repeatedTools(
  tools: readonly Tool[],
  { family, hosted }: { readonly family: string; readonly hosted?: true | undefined },
): readonly number[] {
  const known = new Set<string>();
  return [...tools.entries()].flatMap(([index, tool]) =>
    (hosted || isOwnTool(tool)) && known.size === known.add(wireName(tool, family)).size ? [index] : [],
  );
}

export const toolNames: RuleCheck<"tool-names"> = (view, spelling, { asked, report }) => {
  const { unique, hosted, defined, family = asked.target.format } = spelling;
  const { tools = [] } = view.conversation;
  const known = new Map<string, string | undefined>();
  const look = (name: string, path: Path): void => {
    if (!known.has(name)) known.set(name, misspelled(name, spelling));
    const fault = known.get(name);
    if (fault === undefined) return;
    report(path, `is \`${name}\`, which ${fault}. Rename the tool, where it is declared and where it is called.`, {
      name,
      length: name.length,
      ...(spelling.most !== undefined && { most: spelling.most }),
    });
  };
  for (const [index, tool] of tools.entries())
    if (isOwnTool(tool)) look(wireName(tool, family), ["tools", index, "name"]);
  for (const index of unique ? repeatedTools(tools, { family, hosted }) : []) {
    const name = wireName(tools[index] ?? { name: "" }, family);
    report(["tools", index, "name"], `is \`${name}\`, as that of a tool before it. Leave it out, or rename it.`, {
      name,
    });
  }
  for (const turn of view.turns) {
    for (const { part, path } of defined ? turn.parts : []) {
      for (const [index, tool] of addedBy(part).entries())
        if (typeof tool !== "string" && isOwnTool(tool))
          look(wireName(tool, family), [...path, "toolsAdded", index, "name"]);
    }
    if (turn.side !== "assistant") continue;
    for (const { part, path } of callsOf(turn)) if (isOwnTool(part)) look(part.name, [...path, "name"]);
  }
};

export const roles: RuleCheck<"roles"> = (view, { allowed }, { report }) => {
  for (const index of view.sent) {
    const message = view.conversation.messages[index];
    const role = message?.role ?? "user";
    if (!allowed.includes(role)) {
      report(["messages", index, "role"], `is \`${role}\`, which is no role here. Make it \`user\`.`, { role });
      continue;
    }
    message?.parts.forEach((part, place) => {
      const pieces = part.type === "compaction" ? saidIn(part, ["messages", index, "parts", place]) : [];
      for (const piece of pieces) {
        if (!isOfTurns(piece.part)) continue;
        const text = `is a ${piece.part.type} in a summary, which is said by one side. Leave it out.`;
        report(piece.path, text, { role });
      }
      const maker = makerOf(part, role);
      if (maker === undefined) return;
      report(
        ["messages", index, "parts", place],
        `is a ${part.type} in a message of role \`${role}\`, and such are of role \`${maker}\`. Put it into a message of its own.`,
        { role },
      );
    });
  }
};

/** What is paired or ordered by turns has no place in a summary. */
const isOfTurns = ({ type }: Part): boolean => type === "tool-call" || type === "tool-result" || type === "reasoning";

/** The role whose message a part belongs into, where it stands in one of another that cannot have it. */
export function makerOf(part: Part, role: string): "assistant" | "tool" | undefined {
  const side = sideOf({ role });
  if (part.type === "tool-call" || part.type === "reasoning") return side === "assistant" ? undefined : "assistant";
  return part.type === "tool-result" && side === "system" ? "tool" : undefined;
}

export const messageName: RuleCheck<"message-name"> = (view, spelling, { report }) => {
  for (const index of view.sent) {
    const { author, role, parts = [] } = view.conversation.messages[index] ?? {};
    const name = author?.name;
    // What a message of results says as its name is the tool's.
    const isOfResults = role === "tool" || (parts.length > 0 && parts.every(({ type }) => type === "tool-result"));
    if (name === undefined || isOfResults) continue;
    const fault = spelling.characters === undefined ? "has no place here" : misspelled(name, spelling);
    if (fault === undefined) continue;
    report(
      ["messages", index, "author", "name"],
      `is \`${name}\`, which ${fault}. Say it in the text, or do without.`,
      { name },
    );
  }
};
