/** What providers' endpoints accept, the check for it, and what their errors mean. */
export * from "./targets/index.ts";

import { findFormat } from "./by-id.ts";
import type { Conversation } from "./model/conversation.ts";
import { type Prepared, type PrepareOptions, prepareWith } from "./targets/prepare.ts";
import { targetOf } from "./targets/registry.ts";
import type { Target } from "./targets/target.ts";

/**
 * Checks, repairs and encodes a conversation for a target: what it takes, in its own format. The conversation given is to be kept: it
 * alone has the seals of other providers. Throws `target/no-such-target`.
 */
export function prepare(conversation: Conversation, target: Target | string, options: PrepareOptions = {}): Prepared {
  const row = targetOf(target);
  return prepareWith(findFormat(row.format).codec, conversation, row, options);
}
