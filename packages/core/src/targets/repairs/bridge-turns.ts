import { type Draft, type DraftMessage, type Item, madeMessage } from "./draft.ts";
import { isResult } from "./draft-turns.ts";
import { faultsOf, isBroken } from "./faults.ts";
import { spokenBy } from "./place-system.ts";
import { fixedTexts } from "./policies.ts";

/** Messages that nobody wrote, marked as such, where the target wants a turn of the other side. */
export function bridgeTurns(draft: Draft): void {
  if (isBroken(draft, "history-not-empty")) {
    const path = ["messages"];
    draft.messages = [
      ...draft.messages,
      madeMessage(
        { role: "user", synthetic: "bridge" },
        [{ part: { type: "text", text: fixedTexts.opening }, path }],
        path,
      ),
    ];
    draft.changed("bridge-turns", path, "a user's message is put where nothing else is said");
  }
  splitResults(draft);
  insert(draft, "answer-after-results", message => bridge("assistant", fixedTexts.understood, message));
  const roles = draft.rules["first-turn"]?.roles ?? [];
  const opener = roles.includes("user") ? "user" : (roles[0] ?? "user");
  insert(draft, "first-turn", message => bridge(opener, fixedTexts.opening, message));
  for (const { message } of faultsOf(draft, "last-turn")) {
    draft.messages = [...draft.messages, bridge("user", fixedTexts.continue, message)];
    draft.changed(
      "bridge-turns",
      message.path,
      "a user's message is put behind the last answer, which the model does not go on with",
    );
  }
}

/** What is said beside results goes into a message of its own behind them, where the assistant is to answer them first. */
function splitResults(draft: Draft): void {
  const faults = faultsOf(draft, "answer-after-results").filter(({ inner }) => inner[0] === "parts");
  const mixed = new Set(faults.map(({ message }) => message));
  if (mixed.size === 0) return;
  draft.messages = draft.messages.flatMap(message => {
    if (!mixed.has(message)) return [message];
    const results = message.items.filter(isAnswer);
    for (const { path } of results)
      draft.changed("bridge-turns", path, "the result is in a message of its own, before what is said beside it");
    message.items = message.items.filter(item => !isAnswer(item));
    if (message.head.role === "tool") message.head = spokenBy("user", message.head);
    return [madeMessage({ role: "tool" }, results, message.path), message];
  });
}

/** A result, or a denial, which is told as one. */
const isAnswer = (item: Item): boolean =>
  isResult(item) || (item.part.type === "approval-response" && !item.part.approved);

function insert(
  draft: Draft,
  rule: "answer-after-results" | "first-turn",
  make: (message: DraftMessage) => DraftMessage,
): void {
  const before = new Set(faultsOf(draft, rule).map(({ message }) => message));
  if (before.size === 0) return;
  draft.messages = draft.messages.flatMap(message => {
    if (!before.has(message)) return [message];
    const made = make(message);
    draft.changed("bridge-turns", message.path, `a made message of the ${made.head.role} is put before it`);
    return [made, message];
  });
}

/** A made message that stands between two of one side. */
export const bridge = (role: string, text: string, { path }: DraftMessage): DraftMessage =>
  madeMessage({ role, synthetic: "bridge" }, [{ part: { type: "text", text }, path }], path);
