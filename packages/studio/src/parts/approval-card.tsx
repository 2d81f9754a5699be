import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { ApprovalRequestPart, ToolCallPart } from "translogue";
import { useActions } from "../chat/actions.ts";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { CallInput } from "./call-view.tsx";

interface ApprovalCardProps {
  readonly request: ApprovalRequestPart;
  readonly call: ToolCallPart | undefined;
}

/** A call that waits for a person, with all that the decision is about. */
export function ApprovalCard({ request, call }: ApprovalCardProps) {
  const words = useWords();
  const title = useId();
  const name = call?.title ?? call?.name ?? request.callId;
  return (
    <article className="approval" aria-labelledby={title}>
      <h3 id={title}>
        <Icon name="lock" />
        {words.approvalTitle(name)}
      </h3>
      {request.reason !== undefined && <p>{request.reason}</p>}
      {call && <CallInput call={call} />}
      <Decision request={request} name={name} />
    </article>
  );
}

function Decision({ request, name }: { readonly request: ApprovalRequestPart; readonly name: string }) {
  const words = useWords();
  const { decide, isIdle } = useActions();
  const [isDenying, setDenying] = useState(false);
  if (isDenying) return <Denial request={request} onCancel={() => setDenying(false)} />;
  return (
    <div className="buttons">
      <button
        type="button"
        className="primary"
        disabled={!isIdle}
        aria-label={`${words.approve}: ${name}`}
        onClick={() => decide(request, { approved: true })}
      >
        {words.approve}
      </button>
      <button type="button" disabled={!isIdle} aria-label={`${words.deny}: ${name}`} onClick={() => setDenying(true)}>
        {words.denyWithReason}
      </button>
    </div>
  );
}

interface DenialProps {
  readonly request: ApprovalRequestPart;
  readonly onCancel: () => void;
}

function Denial({ request, onCancel }: DenialProps) {
  const words = useWords();
  const { decide, isIdle } = useActions();
  const [reason, setReason] = useState("");
  const field = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const deny = (event: FormEvent): void => {
    event.preventDefault();
    decide(request, { approved: false, reason });
  };
  return (
    <form className="denial" ref={form} onSubmit={deny}>
      <label htmlFor={field}>{words.reasonLabel}</label>
      <input
        id={field}
        value={reason}
        // biome-ignore lint/a11y/noAutofocus: it opens where the person has just pressed
        autoFocus
        onChange={event => setReason(event.target.value)}
        onKeyDown={event => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onCancel();
        }}
      />
      <div className="buttons">
        <button type="submit" className="danger" disabled={!isIdle}>
          {words.deny}
        </button>
        <button type="button" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}
