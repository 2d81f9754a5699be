import { useActions } from "../chat/actions.ts";
import type { Failure } from "../chat/failure.ts";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";

/** Why the last request came to nothing, and what to do. */
export function FailureCard({ failure }: { readonly failure: Failure }) {
  const words = useWords();
  const { retry, isIdle } = useActions();
  const { title, whatToDo } = words.failures[failure.kind];
  return (
    <section className="note failure">
      <h3>
        <Icon name="warning" />
        {title}
      </h3>
      {failure.message !== undefined && failure.kind !== "network" && <p>{failure.message}</p>}
      <p className="advice">{whatToDo}</p>
      <div className="buttons">
        <button type="button" onClick={retry} disabled={!isIdle}>
          <Icon name="retry" />
          {words.tryAgain}
        </button>
      </div>
      {failure.correlationId !== undefined && <small>{words.correlation(failure.correlationId)}</small>}
    </section>
  );
}
