import type { Part } from "../../model/parts.ts";
import type { Target } from "../target.ts";
import type { Placed, Turn, View } from "../turns.ts";
import { answersByTurn, toldDenials } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";
import { isOwnCompaction, isSaid, saidIn } from "./said.ts";
import { isThinking } from "./seals.ts";

const isResult = ({ type }: Part): boolean => type === "tool-result";
const start = ({ messages: [first] }: Turn) => ["messages", first ?? 0];
const roleOf = ({ conversation }: View, { messages: [first] }: Turn): string =>
  conversation.messages[first ?? -1]?.role ?? "user";

export const firstTurn: RuleCheck<"first-turn"> = (view, { roles }, { report }) => {
  const first = view.turns[view.front];
  if (!first) return;
  const role = roleOf(view, first);
  if (roles.includes(role)) return;
  report(
    [...start(first), "role"],
    `is \`${role}\`, and a history begins with ${roles.join(" or ")}. Put such a message before it, or leave it out.`,
    { role },
  );
};

export const turnsAlternate: RuleCheck<"turns-alternate"> = (view, _, { report }) => {
  view.turns.forEach((turn, place) => {
    const before = view.turns[place - 1];
    if (place <= view.front || before?.side !== turn.side) return;
    report(
      start(turn),
      `is a second turn of the ${turn.side === "user" ? "user's" : "assistant's"} side, and turns alternate. Join it to the one before, or put a turn of the other side between them.`,
      { role: turn.side },
    );
  });
  for (const { message, path } of toldDenials(view)) {
    const { role, parts = [] } = view.conversation.messages[message] ?? {};
    if (role === "tool" || !parts.some(isSaid)) continue;
    report(
      path,
      "denies a call beside what else is said: the result that tells of it would be a turn by itself. Put a result into the message.",
      { role: "user" },
    );
  }
};

export const answerAfterResults: RuleCheck<"answer-after-results"> = (view, _, { report }) => {
  // Of a call that a person denied the provider is told by a result too.
  const answers = answersByTurn(view);
  view.turns.forEach((turn, place) => {
    if (turn.side === "user") {
      const answered = new Set(answers[place]?.map(({ placed }) => placed.message));
      for (const index of turn.messages) {
        const { parts = [] } = view.conversation.messages[index] ?? {};
        if (!(answered.has(index) || parts.some(isResult)) || !parts.some(part => isSaid(part) && !isResult(part)))
          continue;
        const text =
          "have something beside results of tools, behind which the assistant answers. Say it in a message of its own.";
        report(["messages", index, "parts"], text, { role: "user", before: "tool" });
      }
    }
    const before = view.turns[place - 1];
    const isResults =
      before?.side === "user" &&
      (before.messages.some(index => view.conversation.messages[index]?.role === "tool") ||
        before.parts.some(({ part }) => part.type === "tool-result") ||
        (answers[place - 1] ?? []).length > 0);
    if (!isResults || turn.side === "assistant") return;
    const role = roleOf(view, turn);
    report(
      [...start(turn), "role"],
      `is \`${role}\` right behind results of tools, where the assistant answers. Put an assistant's message between them.`,
      { role, before: "tool" },
    );
  });
};

export const systemPlace: RuleCheck<"system-place"> = (view, { allowed }, { report }) => {
  view.turns.forEach((turn, place) => {
    if (turn.side !== "system" || allowed === "anywhere") return;
    const before = view.turns[place - 1];
    const isFront = place < view.front;
    if (isFront ? allowed !== "none" : allowed === "after-user" && before?.side !== "assistant") return;
    for (const message of turn.messages) {
      const role = view.conversation.messages[message]?.role ?? "system";
      const asked = {
        none: "this model takes no system text. Fold it into the next message of the user",
        first:
          "system text is taken only at the front. Move it there, or make it a message of the user where it stands",
        "after-user": "system text in the middle stands behind a user's message. Move it behind one",
      }[allowed];
      report(["messages", message, "role"], `is \`${role}\`, and ${asked}.`, {
        role,
      });
    }
  });
};

export const lastTurn: RuleCheck<"last-turn"> = (view, { prefill, mark = "", hosted, thinking }, { asked, report }) => {
  const last = view.turns.at(-1);
  if (last?.side !== "assistant") return;
  const [first] = last.parts.filter(({ part }) => isSaid(part));
  const isUnthought =
    thinking === "never" && first?.part.type !== "reasoning" && isThinking(view.conversation, asked.target);
  if (prefill === "always" && !isUnthought) return;
  const index = last.messages.at(-1) ?? -1;
  const message = view.conversation.messages[index];
  const isMarked = prefill === "marked" && message?.native?.[asked.target.format]?.[mark] === true;
  const isOwn = ({ part }: Placed): boolean => isOwnCompaction(part, asked.target);
  const isCompacted =
    message?.finish?.reason === "pause"
      ? last.parts.some(isOwn)
      : last.parts
          .filter(placed => isOwn(placed) || isSaid(placed.part)) // a failed one has no words, and goes back as it is
          .slice(-1)
          .some(isOwn);
  // Behind its own compaction a provider may pause, and open calls are another rule's.
  const isGoingOn =
    isCompacted ||
    last.parts.some(({ part }) => part.type === "tool-call" && (hosted === "go-on" || part.executedBy !== "provider"));
  if (isMarked || isGoingOn) return;
  report(
    ["messages", index, "role"],
    `is \`assistant\` in the last message, which this model does not go on with${isUnthought ? " while thinking is on" : ""}. End with a message of the user.`,
    { role: "assistant", part: 0, found: first?.part.type ?? "text" },
  );
};

export const prefillTrimmed: RuleCheck<"prefill-trimmed"> = (view, _, { asked, report }) => {
  const last = view.turns.at(-1);
  const end = last?.side === "assistant" ? lastSaid(last, asked.target) : undefined;
  // A refusal is said as text here.
  if (end?.part.type !== "text" && end?.part.type !== "refusal") return;
  if (end.part.text === end.part.text.trimEnd()) return;
  report([...end.path, "text"], "ends in white space, and is to be gone on with. Trim its end.");
};

/** A summary ends with what it says last, but for one that its maker takes back as it is. */
function lastSaid({ parts }: Turn, target: Target): Pick<Placed, "part" | "path"> | undefined {
  for (let place = parts.length - 1; place >= 0; place--) {
    const placed = parts[place];
    if (!placed || !isSaid(placed.part)) continue;
    if (isOwnCompaction(placed.part, target)) return placed;
    return saidIn(placed.part, placed.path).findLast(({ part }) => isSaid(part));
  }
  return undefined;
}
