import type { Message } from "translogue";

/** The results of a history, each with its outcome and its words or data. */
export const resultsIn = (
  messages: readonly Message[],
): (readonly [callId: string, outcome: string, said: unknown])[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part => {
      if (part.type !== "tool-result" || part.preliminary) return [];
      const [first] = part.output ?? [];
      const words = first?.type === "text" ? first.text : first?.type === "data" ? first.data : undefined;
      return [[part.callId, part.outcome ?? "ok", words] as const];
    }),
  );

/** `role: what it has`, a line a message. */
export const outline = (messages: readonly Message[]): string[] =>
  messages.map(
    ({ role, parts }) =>
      `${role}: ${parts.map(part => (part.type === "text" ? part.text : "callId" in part ? `${part.type} ${part.callId}` : part.type)).join(", ")}`,
  );

export const said = (role: Message["role"], words: string): Message => ({
  role,
  parts: [{ type: "text", text: words }],
});
