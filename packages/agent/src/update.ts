import type { Event, MessageHead } from "translogue";
import type { AgentResponseUpdate } from "./response.ts";

/** Batches of a run's events → updates. */
export class UpdateWriter {
  readonly #shared: Pick<AgentResponseUpdate, "agentId" | "responseId">;
  readonly #heads = new Map<number, MessageHead>();

  constructor(shared: Pick<AgentResponseUpdate, "agentId" | "responseId">) {
    this.#shared = shared;
  }

  update(events: readonly Event[], last?: Partial<AgentResponseUpdate>): AgentResponseUpdate {
    let text = "";
    let head: MessageHead | undefined;
    for (const event of events) {
      if (event.type === "message-start") this.#heads.set(event.message, event.head);
      if ("message" in event) head = this.#heads.get(event.message);
      text += textIn(event);
    }
    const { id, author, createdAt, model } = head ?? {};
    return {
      events,
      text,
      ...this.#shared,
      ...(id !== undefined && { messageId: id }),
      ...(author && { author }),
      ...(createdAt !== undefined && { createdAt }),
      ...(model !== undefined && { model }),
      ...last,
      isFinal: last !== undefined,
    };
  }
}

function textIn(event: Event): string {
  if (event.type === "part-delta") return event.of === "text" ? event.text : "";
  const isPart = event.type === "part" || event.type === "part-start";
  return isPart && event.value.type === "text" ? event.value.text : "";
}
