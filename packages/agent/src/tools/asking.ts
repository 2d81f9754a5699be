import { isJsonObject, type Json, type JsonObject, type ToolCallPart } from "translogue";
import { failure } from "../errors.ts";
import type { InputRequest, Resumed, Suspension } from "../loop/asks.ts";

/** By the place of their question among those of the call; of a question that nobody would answer the list is empty. */
type Answers = { readonly [place: string]: readonly [] | readonly [value: Json] };

interface Asking {
  readonly call: ToolCallPart;
  readonly resumed: Resumed | undefined;
  readonly suspend: (suspension: Suspension) => void;
}

/**
 * A tool's questions to a person, by their order: those that were answered before give the answer; one that was not makes
 * the call wait, and ends the tool's function by what it throws. It is run again, from its beginning, with the answer.
 */
export function asker({ call, resumed, suspend }: Asking) {
  const answers = { ...answersIn(resumed?.state), ...answersOf(resumed) };
  const asks: Suspension["asks"][number][] = [];
  let places = 0;
  return async (
    request: Omit<InputRequest, "kind"> & Partial<Pick<InputRequest, "kind">>,
  ): Promise<Json | undefined> => {
    const place = String(places++);
    const answer = answers[place];
    if (answer) return answer[0];
    asks.push({ requestId: place, call, input: { kind: "question", ...request } });
    suspend({ asks: [...asks], state: { answers } });
    throw failure("tool/waits", `"${call.name}" waits for a person's answer`);
  };
}

function answersIn(state: Json | undefined): Answers {
  const kept = isJsonObject(state) ? state["answers"] : undefined;
  return isJsonObject(kept) ? (kept as JsonObject & Answers) : {}; // as it was given to `suspend`
}

const answersOf = (resumed: Resumed | undefined): Answers =>
  Object.fromEntries(
    (resumed?.answers ?? []).flatMap(part =>
      part.type === "input-response" ? [[part.requestId, part.value === undefined ? [] : ([part.value] as const)]] : [],
    ),
  );
