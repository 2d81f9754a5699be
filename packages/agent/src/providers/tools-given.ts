import { failure, messageOf } from "../errors.ts";
import { BagJournal } from "../loop/bag-journal.ts";
import { messagesIn } from "../session.ts";
import type { AgentTool } from "../tools/tool.ts";
import { type ContextProvider, type ContextRequest, checkedContext } from "./context.ts";
import { Patience, type PatienceOptions } from "./patience.ts";

/**
 * The tools that providers add to a run like this one, in a session that another agent leads: who leads may have been handed
 * it by one of them. Nothing else that they add is taken, and what they write to the state bag is taken back: they are asked
 * anew for the run itself. Throws `context/failed`.
 */
export async function toolsGiven(
  providers: readonly ContextProvider[],
  about: Omit<ContextRequest, "history" | "context" | "signal">,
  limits: PatienceOptions,
): Promise<readonly AgentTool[]> {
  const patience = new Patience(limits);
  const { signal } = patience;
  const request = { ...about, history: messagesIn(about.session), context: [], ...(signal && { signal }) };
  const bag = new BagJournal(about.session.stateBag);
  const given: AgentTool[] = [];
  try {
    for (const provider of providers) {
      if (patience.isOver) break;
      const asked = await patience.for(async () =>
        checkedContext(provider, await provider.before?.({ ...request, tools: [...about.tools, ...given] })),
      );
      given.push(...(asked?.value?.tools ?? []));
    }
    return given;
  } catch (cause) {
    throw failure("context/failed", messageOf(cause) || "it failed", { cause });
  } finally {
    patience.end();
    bag.reset();
  }
}
