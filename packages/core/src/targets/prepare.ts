import type { Codec } from "../codec/codec.ts";
import { type Encoded, type EncodeOptions, encodeWith } from "../codec/encode.ts";
import { type ReadsOptions, readsWith } from "../codec/recipient.ts";
import type { ReadsCompaction } from "../model/context.ts";
import type { Conversation } from "../model/conversation.ts";
import { demandConversation } from "../model/given.ts";
import type { Issue, Loss, Path } from "../model/issue.ts";
import type { ExactText } from "../model/json-text.ts";
import { demandOptions, flag, type OptionRules, text } from "../model/options.ts";
import { checkTarget } from "./check.ts";
import { readsIn } from "./reads.ts";
import { rulesOf, targetOf } from "./registry.ts";
import { type Change, type RepairOptions, repairAround } from "./repair.ts";
import { leftOutOf } from "./repairs/leave-out.ts";
import { repairRules } from "./repairs/policies.ts";
import type { Target } from "./target.ts";

export interface PrepareOptions extends RepairOptions, Pick<EncodeOptions, "shape" | "dialect" | "strictTools"> {}

export interface Prepared<Wire = unknown> {
  /** A request that the target takes, as far as can be told without asking it: see `issues`. */
  readonly value: Wire;
  /** What the conversation could not say in the format; paths lead into the repaired conversation. */
  readonly losses: readonly Loss[];
  /** What was repaired; paths lead into the conversation given. */
  readonly changes: readonly Change[];
  /** What no repair mends, such as a history that is too long; paths lead into the repaired conversation. */
  readonly issues: readonly Issue[];
  /** What was encoded. The conversation given is to be kept: it alone has the seals of other providers. */
  readonly conversation: Conversation;
  /** Where a place in `conversation` stands in the conversation given; what was added counts as where it was added. */
  readonly home: (path: Path) => Path;
  /** Source texts for `stringifyJson`, where the conversation holds spellings that JavaScript cannot. */
  readonly exact?: ExactText;
}

const rules: OptionRules<PrepareOptions> = { ...repairRules, shape: text, dialect: text, strictTools: flag };

/** Checks, repairs and encodes a conversation for a target, whose format is this codec's. */
export function prepareWith<Wire>(
  codec: Codec<Wire>,
  given: Conversation,
  target: Target | string,
  options: PrepareOptions = {},
): Prepared<Wire> {
  demandConversation(given);
  demandOptions(options, rules);
  const { shape = "request", dialect, strictTools, ...repairing } = options;
  const row = targetOf(target);
  const { model } = repairing;
  const asked = model === undefined ? given : { ...given, model };
  const spoken = dialect ?? row.dialect;
  const write = (repaired: Conversation): Encoded<Wire> =>
    encodeWith(codec, repaired, {
      ...{ shape, recipient: "provider" },
      ...(spoken !== undefined && { dialect: spoken }),
      ...(strictTools !== undefined && { strictTools }),
    });
  let last: { readonly of: Conversation; readonly written: Encoded<Wire> } | undefined;
  const { conversation, changes, home, isSound } = repairAround(asked, row, {
    ...repairing,
    reads: readsWith(codec, { shape, dialect: spoken, model: asked.model }),
    leftOut: repaired => {
      last = { of: repaired, written: write(repaired) };
      return leftOutOf(last.written.losses, repaired);
    },
  });
  const { value, losses, exact } = last?.of === conversation ? last.written : write(conversation);
  const issues = isSound ? [] : checkTarget(conversation, row);
  return { value, losses, changes, issues, conversation, home, ...(exact && { exact }) };
}

/** Which compactions come through to the target, in the format and by its own rules: for `context`, before the history is prepared. */
export function readsPrepared(
  codec: Codec,
  target: Target,
  { dialect = target.dialect, ...asked }: ReadsOptions = {},
): ReadsCompaction {
  const own = readsIn(rulesOf(target, asked.model), asked.model);
  const written = readsWith(codec, { ...asked, dialect });
  return part => own(part) && written(part);
}
