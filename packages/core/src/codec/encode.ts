import { contextIndexes, isContext, type ReadsCompaction } from "../model/context.ts";
import type { Conversation, Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import { demandConversation } from "../model/given.ts";
import type { Issue, Loss, Path } from "../model/issue.ts";
import { type ExactText, exactTable } from "../model/json-text.ts";
import { writeCarry } from "./carry.ts";
import type { Codec, EncodeContext, Recipient, Shape } from "./codec.ts";
import { dropInto, encodeContext, type Group } from "./context.ts";
import type { Decoded } from "./decode.ts";
import { withoutEmptied, withoutHusks } from "./emptied.ts";
import { withErrorWords } from "./error-words.ts";
import { guardInput } from "./json-input.ts";
import { Narrower } from "./narrow.ts";
import { traceNumbers } from "./number-trace.ts";
import { firstChoice } from "./one-choice.ts";
import { withPartsApart } from "./parts-apart.ts";
import { originalPath, refine, select } from "./provenance.ts";
import { factsOf, ProviderView, readsOf } from "./recipient.ts";
import { refusalLoss, takesRefusals, withRefusals } from "./refusals.ts";
import { rangeIssues } from "./setting-ranges.ts";
import { withStrictness } from "./tool-strictness.ts";

export interface EncodeOptions {
  /** Default: the shape asked for by the caller that decoded it, else the format's first. */
  readonly shape?: Shape;
  readonly dialect?: string;
  /** Default: `provider` for a request, else `client`, as is a request that is to carry. */
  readonly recipient?: Recipient;
  /**
   * Whether what the format cannot hold travels in its carry slot. Default: for a store; where nobody sees the slot also for
   * a client, as long as the value stays an object. Never to a provider: with `true` and no `recipient` a request is for a client.
   */
  readonly carry?: boolean;
  /** Whether tools that do not say so were strict where the conversation was read, as `Decoded` tells it. */
  readonly strictTools?: boolean;
}

export interface Encoded<Wire = unknown> {
  readonly value: Wire;
  /** As written: the shape asked for, or the nearest that the format has. */
  readonly shape: Shape;
  readonly dialect: string;
  readonly losses: readonly Loss[];
  /** What the provider will refuse of it, as far as that is told without a target. */
  readonly issues: readonly Issue[];
  /** Source texts for `stringifyJson`, where the conversation holds spellings that JavaScript cannot. */
  readonly exact?: ExactText;
}

/** Writes a conversation in a format. Whatever the format cannot hold is in `losses`, by its path in this conversation. */
export function encodeWith<Wire>(
  codec: Codec<Wire>,
  conversation: Conversation,
  options: EncodeOptions = {},
): Encoded<Wire> {
  demandConversation(conversation);
  const shape = pickShape(codec, options.shape);
  const dialect = options.dialect ?? codec.dialects[0];
  const recipient = pickRecipient(shape, options);
  const losses: Loss[] = [];
  const groups: Group[] = [];
  const { model } = conversation;
  const kind = { shape, dialect, recipient, ...(model !== undefined && { model }) };
  const context = encodeContext(codec, kind, losses, groups);

  return guardInput(conversation, () => {
    const strictness = { from: options.strictTools, to: codec.strictTools?.(context) };
    const asked = recipient === "provider" ? withStrictness(conversation, strictness, losses) : conversation;
    const isOne = codec.oneAnswer && (shape === "answer" || shape === "stream" || options.shape === "answer");
    const chosen = isOne ? firstChoice(asked, losses) : asked;
    const seen = recipient === "provider" ? forProvider(chosen, codec, context, losses) : chosen;
    const narrowed = filled(narrow(seen, codec, context, losses), { before: seen, whole: asked }, context, losses);
    const fitted = withPartsApart(withErrorWords(narrowed, { codec, context }, losses));
    const { value, exact } = writeHeld(codec, fitted, { kind, groups, losses });
    const { slot } = codec;
    const isAsked = options.carry ?? recipient === "store";
    const carries = slot && recipient !== "provider" && (isAsked || (options.carry === undefined && slot.hidden));
    const written = { groups, shape, dialect, value, losses, isAsked };
    const reported = carries ? writeCarry(codec, conversation, written) : losses;
    const issues = recipient === "provider" ? rangeIssues(fitted.settings, codec.ranges?.(context)) : [];
    return { value, shape, dialect, losses: reported, issues, ...(exact && { exact }) };
  });
}

type Kind = Parameters<typeof encodeContext>[1];

/** What the encoder makes of what the format holds. */
function writeHeld<Wire>(
  codec: Codec<Wire>,
  held: Conversation,
  to: { readonly kind: Kind; readonly groups: Group[]; readonly losses: Loss[] },
): { readonly value: Wire; readonly exact?: ExactText } {
  const { kind, groups, losses } = to;
  const spelled = exactTable(held);
  const own: Loss[] = [];
  const value = codec.encode(held, { ...encodeContext(codec, kind, own, groups), ...(spelled && { exact: spelled }) });
  const isBare = kind.recipient === "provider" && hasNoToolLeft(held, own);
  for (const loss of own) {
    if (!isBare || loss.path[0] === "tools") losses.push({ ...loss, path: originalPath(held, loss.path) });
  }
  if (isBare) return writeHeld(codec, withoutTools(held, losses), to);
  const again = (copy: unknown): unknown => codec.encode(copy as Conversation, encodeContext(codec, kind, [])); // a copy of one
  const exact = spelled && traceNumbers(spelled, { from: held, made: value, again });
  return { value, ...(exact && { exact }) };
}

/** Whether each of the tools was left out: no provider takes an empty list of them. */
function hasNoToolLeft({ tools = [] }: Conversation, losses: readonly Loss[]): boolean {
  if (tools.length === 0) return false;
  const gone = new Set(
    losses.flatMap(({ kind, path: [root, index, ...more] }) =>
      kind === "dropped" && root === "tools" && more.length === 0 ? [index] : [],
    ),
  );
  return tools.every((_, index) => gone.has(index));
}

function withoutTools({ tools: _, settings, ...others }: Conversation, losses: Loss[]): Conversation {
  if (settings?.toolChoice === undefined) return { ...others, ...(settings && { settings }) };
  const { toolChoice: __, ...left } = settings;
  dropInto(losses)("settings.toolChoice", ["settings", "toolChoice"], "there is no tool left to choose");
  return { ...others, settings: left };
}

/** Writes a conversation in the shape that it was read in, or the nearest that the format has; what one message became several of, as `messages`. */
export function encodeAs<Wire>(
  codec: Codec<Wire>,
  { conversation, shape, strictTools }: Pick<Decoded, "conversation" | "shape" | "strictTools">,
  others: Omit<EncodeOptions, "shape"> = {},
): Encoded<Wire> {
  const options = { ...(strictTools !== undefined && { strictTools }), ...others };
  try {
    return encodeWith(codec, conversation, { ...options, shape });
  } catch (error) {
    const isSeveral = error instanceof TranslogueError && error.code === "encode/not-one-message";
    if (!isSeveral || !codec.shapes.includes("messages")) throw error;
    return encodeWith(codec, conversation, { ...options, shape: "messages" });
  }
}

/** The history that a model reads (R26), with the seals that may go to this provider. */
function forProvider(conversation: Conversation, codec: Codec, context: EncodeContext, losses: Loss[]): Conversation {
  const all = conversation.messages;
  const path = isContext(conversation) ? all : readByModel(conversation, readsOf(codec, context), losses);
  const view = new ProviderView(
    factsOf(codec, context),
    dropInto(losses, at => originalPath({ messages: path }, at)),
  );
  const viewed = refine(path, (message, index) => view.message(message, ["messages", index]));
  const seen = isHistory(context) ? withoutEmptied(viewed, path, reportIn({ messages: viewed }, losses)) : viewed;
  const report = (at: Path): void => void losses.push(refusalLoss(originalPath({ messages: seen }, at)));
  const told = takesRefusals(codec, context) ? withRefusals(seen, report) : seen;
  return told === all ? conversation : { ...conversation, messages: told };
}

function readByModel(conversation: Conversation, reads: ReadsCompaction, losses: Loss[]): readonly Message[] {
  const all = conversation.messages;
  const indexes = contextIndexes(conversation, reads);
  if (indexes.length === all.length && indexes.every((index, place) => index === place)) return all;
  const kept = new Set(indexes);
  const drop = dropInto(losses);
  for (let index = 0; index < all.length; index++) {
    if (kept.has(index)) continue;
    drop(
      "out-of-context",
      ["messages", index],
      "the message is not part of what a model reads (another branch, compacted away, or not for it)",
    );
  }
  return select(all, indexes);
}

/** Whether a message may be left out: an answer and a message alone are what was asked for. */
const isHistory = ({ recipient, shape }: EncodeContext): boolean =>
  recipient === "provider" && (shape === "request" || shape === "messages");

const reportIn = (conversation: Conversation, losses: Loss[]) =>
  dropInto(losses, path => originalPath(conversation, path));

/** The conversation without what nothing is left of. */
function filled(
  narrowed: Conversation,
  { before, whole }: { readonly before: Conversation; readonly whole: Conversation },
  context: EncodeContext,
  losses: Loss[],
): Conversation {
  if (narrowed === whole) return narrowed;
  const report = reportIn(narrowed, losses);
  const messages = isHistory(context) ? withoutEmptied(narrowed.messages, before.messages, report) : narrowed.messages;
  const left = messages === narrowed.messages ? narrowed : { ...narrowed, messages };
  return withoutHusks(left, whole, reportIn(left, losses));
}

function narrow(conversation: Conversation, codec: Codec, context: EncodeContext, losses: Loss[]): Conversation {
  const report = dropInto(losses, path => originalPath(conversation, path));
  return new Narrower(codec.holds(context), report).conversation(conversation);
}

const recipients: readonly Recipient[] = ["provider", "client", "store"];

/** A request is for a provider, unless it is to carry what a provider must not get. */
export function pickRecipient(
  shape: Shape,
  { recipient, carry }: Pick<EncodeOptions, "recipient" | "carry">,
): Recipient {
  if (recipient === undefined) return shape === "request" && carry !== true ? "provider" : "client";
  // Whoever is not one of these must not be taken for one that gets everything.
  if (recipients.includes(recipient)) return recipient;
  throw new TranslogueError(
    "encode/no-such-recipient",
    `there is no recipient \`${String(recipient)}\`; there are ${recipients.join(", ")}`,
    {
      data: { recipient },
    },
  );
}

/** For a shape that a format does not have, the nearest that says as much. */
const nearest: { readonly [shape in Shape]?: readonly Shape[] } = {
  request: ["messages", "log", "file"],
  answer: ["messages", "message", "request"],
  message: ["messages", "answer", "request"],
  messages: ["request", "log", "file"],
  block: ["message", "messages"],
  error: ["answer", "messages", "message", "request", "log", "file"],
  log: ["messages", "request", "file"],
  file: ["log", "messages", "request"],
};

export function pickShape(codec: Codec, asked: Shape | undefined): Shape {
  const first = codec.shapes[0];
  if (asked === undefined && first !== undefined) return first;
  const shape = [asked, ...((asked && nearest[asked]) ?? [])].find(option => option && codec.shapes.includes(option));
  if (shape) return shape;
  throw new TranslogueError(
    "encode/no-such-shape",
    `\`${codec.id}\` has no shape \`${asked}\`, nor one like it; it has ${codec.shapes.map(name => `\`${name}\``).join(", ")}`,
    { data: { format: codec.id, shape: asked } },
  );
}
