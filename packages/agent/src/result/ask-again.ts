import { accumulator, type Message } from "translogue";
import { type AgentResponseUpdate, agentResponse, responseFacts } from "../response.ts";
import { joined } from "../run-chain.ts";
import type { ReadFormat } from "./response-format.ts";
import { typedBy } from "./typed-result.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;

interface Asking {
  readonly format: ReadFormat;
  /** How often at most. */
  readonly times: number;
  readonly again: (reminder: Message) => Updates;
}

/** A run whose answer is not what was asked for goes on with a reminder that says why, as the same run. */
export function askedAgain(first: Updates, { format, times, again }: Asking): Updates {
  let left = times;
  let transcript = accumulator();
  const watched = async function* (run: Updates): AsyncGenerator<AgentResponseUpdate> {
    transcript = accumulator();
    for await (const update of run) {
      transcript.pushAll(update.events);
      yield update;
    }
  };
  return joined(watched(first), async ended => {
    if (left === 0 || ended.finish?.reason !== "stop" || ended.finish.raw === "handoff") return undefined;
    const response = agentResponse(transcript.end(), responseFacts(ended));
    const outcome = (await typedBy(response, format)).tryResult();
    if (outcome.ok) return undefined;
    left -= 1;
    return watched(again(reminder(format, outcome.error.message)));
  });
}

const reminder = ({ tool }: ReadFormat, why: string): Message => ({
  role: "user",
  synthetic: "reminder",
  parts: [
    {
      type: "text",
      text: tool ? `Give the answer by calling \`${tool.name}\`, and nothing else.` : `Answer again: ${why}.`,
    },
  ],
});
