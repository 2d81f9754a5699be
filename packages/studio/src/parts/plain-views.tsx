import { type ReactNode, useState } from "react";
import type { Json } from "translogue";
import { useActions } from "../chat/actions.ts";
import { MarkdownText } from "../markdown/markdown.tsx";
import { Icon, type IconName } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { JsonTree } from "./json-tree.tsx";
import { PartList, type PartProps } from "./part-views.tsx";
import { QuestionCard } from "./question-card.tsx";

interface NoteProps {
  readonly kind: string;
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}

/** A box with a title, for what is no text. */
function Note({ kind, icon, title, children }: NoteProps) {
  return (
    <section className={`note ${kind}`}>
      <h3>
        <Icon name={icon} />
        {title}
      </h3>
      {children}
    </section>
  );
}

export function RefusalView({ part }: PartProps<"refusal">) {
  const words = useWords();
  return (
    <Note kind="refusal" icon="close" title={words.refusal}>
      <MarkdownText text={part.text} />
    </Note>
  );
}

export function JsonView({ part }: PartProps<"data">) {
  const words = useWords();
  const kind = part.kind === "state" ? words.state : part.kind === "activity" ? words.activity : words.data;
  return (
    <Note kind="data" icon="braces" title={part.name === undefined ? kind : `${kind}: ${part.name}`}>
      <JsonTree value={part.data} />
    </Note>
  );
}

/** What went wrong, and what to do about it. */
export function ErrorView({ part, isLive, side }: PartProps<"error">) {
  const words = useWords();
  const { retry, isIdle, lastError } = useActions();
  const mayRetry = lastError === part && !isLive;
  return (
    <section className="note failure">
      <h3>
        <Icon name="warning" />
        {side === "answer" ? words.failedAnswer : words.error}
      </h3>
      <p>{part.message === "" ? (part.code ?? words.error) : part.message}</p>
      {part.details !== undefined && <p className="raw">{part.details}</p>}
      {mayRetry && (
        <>
          <p className="advice">{words.failedAnswerWhatToDo}</p>
          <div className="buttons">
            <button type="button" onClick={retry} disabled={!isIdle}>
              <Icon name="retry" />
              {words.tryAgain}
            </button>
          </div>
        </>
      )}
      {part.code !== undefined && <small>{part.code}</small>}
    </section>
  );
}

export function ChangeView({ part }: PartProps<"change">) {
  const words = useWords();
  const names = (tools: readonly (string | { readonly name: string })[]): string =>
    tools.map(tool => (typeof tool === "string" ? tool : tool.name)).join(", ");
  const changes: readonly (readonly [string, string | undefined])[] = [
    [words.toolsAdded, part.toolsAdded && names(part.toolsAdded)],
    [words.toolsRemoved, part.toolsRemoved?.join(", ")],
    [words.changedModel, part.model],
    [words.changedEffort, part.effort],
    [words.changedAgent, part.agent],
  ];
  return (
    <Note kind="change" icon="settings" title={words.changeTitle}>
      <dl>
        {changes.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Note>
  );
}

export function CompactionView({ part }: PartProps<"compaction">) {
  const words = useWords();
  if (!part.summary) return <Note kind="compaction" icon="lock" title={words.compactionHidden} />;
  return (
    <details className="note compaction">
      <summary>
        <Icon name="chevron" />
        {words.compaction}
      </summary>
      <PartList parts={part.summary} />
    </details>
  );
}

export function InputRequestView({ part, answer, result }: PartProps<"input-request">) {
  const words = useWords();
  // Here, as the card goes while an answer is under way, and comes back where it is not taken.
  const [texts, setTexts] = useState<readonly string[]>();
  if (!answer && !result) return <QuestionCard request={part} texts={texts} onTexts={setTexts} />;
  return <AnswerNote message={part.message} value={answer?.value} title={answer ? undefined : words.inputOver} />;
}

/** An answer to a question that is not here. */
export const InputResponseView = ({ part }: PartProps<"input-response">) => <AnswerNote value={part.value} />;

interface AnswerNoteProps {
  readonly message?: string | undefined;
  readonly value: Json | undefined;
  readonly title?: string | undefined;
}

function AnswerNote({ message, value, title }: AnswerNoteProps) {
  const words = useWords();
  const said = value === undefined ? words.inputCancelled : words.inputGiven;
  return (
    <Note kind="data" icon={value === undefined ? "close" : "check"} title={title ?? said}>
      {message !== undefined && <p>{message}</p>}
      {value !== undefined && <JsonTree value={value} />}
    </Note>
  );
}

/** A decision about a request that is not here. */
export function ResponseView({ part }: PartProps<"approval-response">) {
  const words = useWords();
  const denied = part.reason === undefined ? words.denied : words.deniedBecause(part.reason);
  return <Note kind="data" icon={part.approved ? "check" : "close"} title={part.approved ? words.approved : denied} />;
}

export function OpaqueView({ part }: PartProps<"opaque">) {
  const words = useWords();
  const value: Json = part.value;
  return (
    <Note kind="data" icon="braces" title={words.opaque(part.family)}>
      <JsonTree value={value} depth={1} />
    </Note>
  );
}
