import { useEffect, useState } from "react";
import { Refusal } from "./asker.ts";
import type { Inspection } from "./inspection.ts";
import type { Problem } from "./worker/problem.ts";
import type { Opened, Question, Questions } from "./worker/protocol.ts";

interface Answered<Answer> {
  readonly answer?: Answer;
  readonly problem?: Problem;
  /** The answer is to an earlier question. */
  readonly isOld: boolean;
}

/** What the worker says of what is opened; what it said before stays until it is there. */
export function useAnswer<Name extends Question>(
  { inspection, opened }: { readonly inspection: Inspection; readonly opened: Opened },
  name: Name,
  ask: Questions[Name]["ask"] | undefined,
): Answered<Questions[Name]["answer"]> {
  const key = ask === undefined ? undefined : JSON.stringify(ask);
  const [state, setState] = useState<{
    readonly key?: string;
    readonly of?: Opened;
    readonly answer?: Questions[Name]["answer"];
    readonly problem?: Problem;
  }>({});
  useEffect(() => {
    if (key === undefined) return;
    let isWanted = true;
    const done = (more: { readonly answer?: Questions[Name]["answer"]; readonly problem?: Problem }): void => {
      if (isWanted) setState({ key, of: opened, ...more });
    };
    const question = JSON.parse(key) as Questions[Name]["ask"]; // what the key was made of
    inspection.ask(name, question).then(
      answer => done({ answer }),
      (error: unknown) => {
        if (error instanceof Refusal) done({ problem: error.problem });
        else throw error;
      },
    );
    return () => {
      isWanted = false;
    };
  }, [inspection, opened, name, key]);
  const { answer, problem } = state;
  return {
    isOld: state.key !== key || state.of !== opened,
    ...(answer !== undefined && { answer }),
    ...(problem && { problem }),
  };
}
