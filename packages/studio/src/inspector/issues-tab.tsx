import { useEffect, useRef, useState } from "react";
import { Choice } from "../shell/choice.tsx";
import { Icon } from "../shell/icon.tsx";
import { setParameters } from "../shell/route.ts";
import type { Inspection } from "./inspection.ts";
import { Prose } from "./prose.tsx";
import { useInspectorWords } from "./use-words.ts";
import type { IssueGroup } from "./worker/issues.ts";
import type { Offer, Opened } from "./worker/protocol.ts";

interface IssuesTabProps {
  readonly inspection: Inspection;
  readonly opened: Opened;
  readonly offer: Offer;
  readonly target: string | undefined;
  readonly groups: readonly IssueGroup[] | undefined;
  readonly onSelect: (row: number) => void;
}

/** What is wrong with the conversation, by itself and for a provider's endpoint, and what would mend it. */
export function IssuesTab({ inspection, opened, offer, target, groups, onSelect }: IssuesTabProps) {
  const words = useInspectorWords();
  const mendable = groups?.filter(({ repair }) => repair !== undefined) ?? [];
  const mend = (rule?: string): void => {
    if (target !== undefined) void inspection.repair({ target, ...(rule !== undefined && { rule }) });
  };
  const undo = useFocusOnceMended(opened, groups);
  return (
    <>
      <div className="choices">
        <Choice
          label={words.target}
          value={target ?? ""}
          options={[["", words.noTarget], ...offer.targets.map(({ id, title }) => [id, title] as const)]}
          onChoose={id => setParameters({ target: id === "" ? "none" : id })}
        />
        <div className="buttons">
          <button type="button" className="primary" disabled={mendable.length === 0} onClick={() => mend()}>
            {words.mendAll}
          </button>
          <button type="button" ref={undo} disabled={opened.repairs === 0} onClick={() => void inspection.undo()}>
            {words.undoRepair}
          </button>
        </div>
      </div>
      <Changes opened={opened} />
      <div className="groups" aria-live="polite">
        {groups?.length === 0 && (
          <p className="lossless">
            <Icon name="check" />
            {target === undefined ? words.noIssues : words.noIssuesFor(titleOf(offer, target))}
          </p>
        )}
        {groups?.map(group => (
          <Group
            key={`${group.from} ${group.code} ${group.severity}`}
            group={group}
            onSelect={onSelect}
            onMend={mend}
          />
        ))}
      </div>
    </>
  );
}

/** Whoever mended something by keyboard is brought to where it can be taken back: its button is gone with the issue. */
function useFocusOnceMended(opened: Opened, groups: readonly IssueGroup[] | undefined) {
  const undo = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button goes when the new issues come
  useEffect(() => {
    if (opened.changes.length > 0 && document.activeElement === document.body) undo.current?.focus();
  }, [opened, groups]);
  return undo;
}

const titleOf = ({ targets }: Offer, id: string): string => targets.find(target => target.id === id)?.title ?? id;

const mostChanges = 100;

/** What the last repair did. */
function Changes({ opened: { changes } }: { readonly opened: Opened }) {
  const words = useInspectorWords();
  if (changes.length === 0) return null;
  return (
    <details className="note changes" open={changes.length < 6}>
      <summary>
        <Icon name="check" />
        {words.changed(changes.length)}
      </summary>
      <ul>
        {changes.slice(0, mostChanges).map(({ repair, path, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that is drawn anew as a whole
          <li key={index}>
            <code>{repair}</code> <Prose text={message.includes(path) ? message : `\`${path}\` ${message}`} />
          </li>
        ))}
        {changes.length > mostChanges && <li>+ {changes.length - mostChanges}</li>}
      </ul>
    </details>
  );
}

interface GroupProps {
  readonly group: IssueGroup;
  readonly onSelect: (row: number) => void;
  readonly onMend: (rule: string) => void;
}

const spotsAtFirst = 3;

function Group({ group, onSelect, onMend }: GroupProps) {
  const words = useInspectorWords();
  const [shown, setShown] = useState(spotsAtFirst);
  const { from, code, severity, message, count, spots, source, providerText, repair } = group;
  return (
    <section className={`issue ${severity}`}>
      <h2>
        <span className="badge">{words.severities[severity]}</span>
        <code>{code}</code>
        <small>{words.foundBy[from]}</small>
        {count > 1 && <span className="count">{words.times(count)}</span>}
      </h2>
      {count === 1 && (
        <p>
          <Prose text={message} />
        </p>
      )}
      {providerText !== undefined && (
        <blockquote cite={linkOf(source)}>
          <small>{words.providerSays}</small>
          {providerText}
        </blockquote>
      )}
      <ul className="spots">
        {spots.slice(0, shown).map((spot, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that is drawn anew as a whole
          <li key={index}>
            {spot.row === undefined ? (
              spot.path !== "" && <code>{spot.path}</code>
            ) : (
              <button type="button" className="more" onClick={() => spot.row !== undefined && onSelect(spot.row)}>
                <code>{spot.path}</code>
              </button>
            )}
            {count > 1 && (
              <span>
                <Prose text={spot.message} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {count > shown && spots.length > shown && (
        <button type="button" className="more" onClick={() => setShown(shown * 10)}>
          {words.showMore(count - shown)}
        </button>
      )}
      <footer>
        {source !== undefined && <Source text={source} />}
        {repair !== undefined && (
          <button type="button" onClick={() => onMend(code)}>
            <Icon name="tool" />
            {words.mend(repair)}
          </button>
        )}
      </footer>
    </section>
  );
}

const linkOf = (source: string | undefined): string | undefined => /https?:\/\/[^\s,]+/.exec(source ?? "")?.[0];

/** Where a rule is from. */
function Source({ text }: { readonly text: string }) {
  const words = useInspectorWords();
  const link = linkOf(text);
  return (
    <small className="from">
      {words.source}{" "}
      {link === undefined ? (
        text
      ) : (
        <a href={link} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      )}
    </small>
  );
}
