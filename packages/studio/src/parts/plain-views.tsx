import type { ReactNode } from "react";
import type { Json } from "translogue";
import { useActions } from "../chat/actions.ts";
import { Link, MarkdownText } from "../markdown/markdown.tsx";
import { Icon, type IconName } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { JsonTree } from "./json-tree.tsx";
import { PartList, type PartProps } from "./part-views.tsx";
import { isWeb } from "./text-view.tsx";

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

export function InputRequestView({ part }: PartProps<"input-request">) {
  const words = useWords();
  return (
    <Note kind="asks" icon="help" title={words.inputRequest}>
      {part.message !== undefined && <p>{part.message}</p>}
      {part.url !== undefined && isWeb(part.url) && (
        <p>
          <Link href={part.url}>{words.signIn}</Link>
        </p>
      )}
      {part.schema !== undefined && <JsonTree value={part.schema} depth={1} />}
    </Note>
  );
}

export function InputResponseView({ part }: PartProps<"input-response">) {
  const words = useWords();
  const title = part.value === undefined ? words.inputCancelled : words.inputGiven;
  return (
    <Note kind="data" icon="check" title={title}>
      {part.value !== undefined && <JsonTree value={part.value} />}
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
