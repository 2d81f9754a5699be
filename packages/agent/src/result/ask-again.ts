import { accumulator, type Message } from "translogue";
import type { RunOptions } from "../agent.ts";
import { within } from "../engine.ts";
import { isForced } from "../loop/reading.ts";
import { type AgentResponseUpdate, agentResponse, responseFacts } from "../response.ts";
import { joined } from "../run-chain.ts";
import type { ReadFormat } from "./response-format.ts";
import { typedBy } from "./typed-result.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;

interface Asking {
  readonly format: ReadFormat;
  /** How often at most. */
  readonly times: number;
  /** How often it was before the run was cut. */
  readonly begun: number;
  /** `time`: 1 for the first of them. */
  readonly again: (reminder: Message, time: number) => Updates;
}

/** A run whose answer is not what was asked for goes on with a reminder that says why, as the same run. */
export function askedAgain(first: Updates, { format, times, begun, again }: Asking): Updates {
  let time = begun;
  let transcript = accumulator();
  const watched = async function* (run: Updates): AsyncGenerator<AgentResponseUpdate> {
    transcript = accumulator();
    for await (const update of run) {
      transcript.pushAll(update.events);
      yield update;
    }
  };
  return joined(watched(first), async ended => {
    if (time >= times || ended.finish?.reason !== "stop" || ended.finish.raw === "handoff") return { ended };
    const response = agentResponse(transcript.end(), responseFacts(ended));
    const outcome = (await typedBy(response, format)).tryResult();
    if (outcome.ok) return { ended };
    time += 1;
    return { ended, run: watched(again(reminder(format, outcome.error.message), time)) };
  });
}

/** What a run is given that goes on as the same one: what was for its beginning is done, and its operations have names of their own. */
export function optionsAgain(options: RunOptions, time: number): RunOptions {
  const { continuationToken: _, conversationId: __, toolChoice, operations, ...rest } = options;
  return {
    ...rest,
    ...(toolChoice !== undefined && !isForced(toolChoice) && { toolChoice }),
    ...(operations && { operations: within(operations, `again-${time}`) }),
  };
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
