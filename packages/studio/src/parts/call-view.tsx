import { useEffect, useRef } from "react";
import type { ToolCallPart } from "translogue";
import { Icon, type IconName } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import type { Words } from "../shell/words.ts";
import type { Belongings } from "../transcript/entries.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { inOneLine, JsonTree } from "./json-tree.tsx";
import type { PartProps } from "./part-views.tsx";
import { outputLine, ResultFaces } from "./result-view.tsx";

export type CallState = keyof Words["callStates"];

const icons: { readonly [State in CallState]: IconName | "spinner" } = {
  writing: "spinner",
  running: "spinner",
  approved: "spinner",
  done: "check",
  failed: "warning",
  denied: "close",
  interrupted: "stop",
  waiting: "lock",
  asking: "help",
  unanswered: "tool",
};

const outcomes = { error: "failed", denied: "denied", interrupted: "interrupted" } as const;

/** How a call stands, by what belongs to it. */
export function stateOf(call: ToolCallPart, belongings: Belongings, isLive: boolean): CallState {
  const { result, request, response, question, answer } = belongings;
  if (result && !result.preliminary) return result.outcome ? outcomes[result.outcome] : "done";
  if (response && !response.approved) return "denied";
  if (isLive && call.partial) return "writing";
  if (request && !response && !request.automatic) return "waiting";
  if (question && !answer) return "asking";
  if (isLive) return response ? "approved" : "running";
  return call.partial ? "interrupted" : "unanswered";
}

/** A tool call as a card: one line that says it all, and all of it below. */
export function CallView({ part, isLive, ...belongings }: PartProps<"tool-call">) {
  const words = useWords();
  const { result, request, response } = belongings;
  const state = stateOf(part, belongings, isLive);
  if (state === "waiting" && request) return <ApprovalCard request={request} call={part} />;
  const output = result && outputLine(result, words);
  return (
    <Card state={state}>
      <summary>
        <StateIcon state={state} />
        <span className="name">{part.title ?? part.name}</span>
        <span className="line">
          {part.input !== undefined && <span className="given">{inOneLine(part.input)}</span>}
          {output !== undefined && (
            <span className="got">
              <Icon name="arrow" />
              <span className="sr-only">{words.output}: </span>
              {output}
            </span>
          )}
        </span>
        <span className="state">{words.callStates[state]}</span>
        <Icon name="chevron" />
      </summary>
      <div className="inside">
        <CallFacts call={part} />
        <CallInput call={part} />
        {response && <p className="decided">{decisionLine(response, words)}</p>}
        {result && <ResultFaces result={result} />}
      </div>
    </Card>
  );
}

/** What went wrong is open at once; a person may close it. */
function Card({ state, children }: { readonly state: CallState; readonly children: React.ReactNode }) {
  const card = useRef<HTMLDetailsElement>(null);
  const isBad = state === "failed";
  useEffect(() => {
    if (isBad && card.current) card.current.open = true;
  }, [isBad]);
  return (
    <details className={`call ${state}`} ref={card}>
      {children}
    </details>
  );
}

const StateIcon = ({ state }: { readonly state: CallState }) =>
  icons[state] === "spinner" ? <span className="spinner" aria-hidden="true" /> : <Icon name={icons[state]} />;

function CallFacts({ call }: { readonly call: ToolCallPart }) {
  const words = useWords();
  const facts = [
    call.title !== undefined && call.title !== call.name ? call.name : undefined,
    call.kind,
    call.server === undefined ? undefined : words.onServer(call.server),
    call.executedBy === "provider" ? words.byProvider : undefined,
  ].filter(fact => fact !== undefined);
  return facts.length === 0 ? null : <p className="facts">{facts.join(" · ")}</p>;
}

/** The arguments: as a tree, or as they were sent where they are no JSON. */
export function CallInput({ call }: { readonly call: ToolCallPart }) {
  const words = useWords();
  const isEmpty = call.input === undefined && (call.inputText === undefined || call.inputText === "");
  return (
    <section className="face">
      <p className="label">{words.input}</p>
      {isEmpty && <p className="none">{words.noInput}</p>}
      {call.input !== undefined && <JsonTree value={call.input} />}
      {call.input === undefined && !isEmpty && <p className="raw">{call.inputText}</p>}
    </section>
  );
}

const decisionLine = (
  { approved, reason }: { readonly approved: boolean; readonly reason?: string },
  words: Words,
): string => (approved ? words.approved : reason === undefined ? words.denied : words.deniedBecause(reason));
