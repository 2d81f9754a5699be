import { useMemo, useState } from "react";
import type { Recipient } from "translogue";
import { formatBytes } from "../parts/file-view.tsx";
import { Choice } from "../shell/choice.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { Icon } from "../shell/icon.tsx";
import { save } from "../shell/save.ts";
import { useWords } from "../shell/use-words.ts";
import { Prose } from "./prose.tsx";
import { type Light, SourceView } from "./source-view.tsx";
import { useInspectorWords } from "./use-words.ts";
import type { LitLoss, Offer, Written } from "./worker/protocol.ts";

export interface Output {
  readonly ref: string;
  readonly recipient: Recipient;
  readonly carry: boolean;
}

interface ConvertTabProps {
  readonly offer: Offer;
  readonly output: Output;
  readonly written: Written | undefined;
  readonly selected: number | undefined;
  readonly reveals: number;
  readonly name: string;
  readonly onOutput: (output: Output) => void;
  readonly onSelect: (row: number) => void;
}

const recipients: readonly Recipient[] = ["client", "provider", "store"];

/** The conversation in any format, beside its source. */
export function ConvertTab(props: ConvertTabProps) {
  const words = useWords();
  const { written, onSelect } = props;
  return (
    <>
      <Choices {...props} />
      {written && "problem" in written && (
        <section className="note failure">
          <h2>{words.cannotConvert}</h2>
          <p>
            <Prose text={written.problem} />
          </p>
        </section>
      )}
      {written && "text" in written && (
        <>
          <Losses groups={written.groups} onSelect={onSelect} />
          <Converted {...props} written={written} />
        </>
      )}
    </>
  );
}

function Choices({ offer, output, onOutput }: ConvertTabProps) {
  const words = useWords();
  const ours = useInspectorWords();
  return (
    <div className="choices">
      <Choice
        label={ours.convertTo}
        value={output.ref}
        options={[["canonical", words.canonical], ...offer.outputs.map(({ ref, title }) => [ref, title] as const)]}
        onChoose={ref => onOutput({ ...output, ref })}
      />
      <Choice
        label={words.recipient}
        value={output.recipient}
        options={recipients.map(recipient => [recipient, words.recipients[recipient]] as const)}
        onChoose={recipient => onOutput({ ...output, recipient: recipient as Recipient })} // one of the options
      />
      <label className="check">
        <input
          type="checkbox"
          checked={output.carry}
          disabled={output.recipient === "provider"}
          onChange={event => onOutput({ ...output, carry: event.target.checked })}
        />
        {ours.carry}
      </label>
    </div>
  );
}

type WrittenText = Extract<Written, { readonly text: string }>;

interface ConvertedProps extends ConvertTabProps {
  readonly written: WrittenText;
}

function Converted({ output, written, selected, reveals, name, onSelect }: ConvertedProps) {
  const words = useWords();
  const ours = useInspectorWords();
  const { text, places } = written;
  const size = useMemo(() => formatBytes(new Blob([text]).size), [text]);
  const lights = useMemo(() => lightsOf(written, selected), [written, selected]);
  return (
    <>
      <div className="bar">
        <span>{words.size(size)}</span>
        <CopyButton text={() => text} label={words.copy} isLabelled />
        <button
          type="button"
          className="quiet"
          onClick={() => save(text, `${name}.${output.ref.replace(":", ".")}.json`)}
        >
          <Icon name="download" />
          <span>{words.download}</span>
        </button>
      </div>
      <SourceView
        text={text}
        label={ours.converted}
        lights={lights}
        shown={places[selected ?? -1] ?? []}
        reveals={reveals}
        onPick={offset => {
          const row = rowAtPlace(places, offset);
          if (row !== undefined) onSelect(row);
        }}
      />
    </>
  );
}

function lightsOf(written: WrittenText, selected: number | undefined): readonly Light[] {
  const lost = written.groups.flatMap(({ lit, losses }) =>
    lit.map(({ spans }, index): Light => ({ look: losses[index]?.carried ? "carried" : "lost", spans })),
  );
  return [...lost, { look: "selected", spans: written.places[selected ?? -1] ?? [] }];
}

/** The innermost row that stands at a place. */
export function rowAtPlace(places: readonly (readonly number[])[], offset: number): number | undefined {
  let best: number | undefined;
  let size = Number.POSITIVE_INFINITY;
  places.forEach((spans, row) => {
    for (let index = 0; index + 1 < spans.length; index += 2) {
      const [from = 0, to = 0] = [spans[index], spans[index + 1]];
      // Of two that stand at the same place the inner one comes later.
      if (from <= offset && offset <= to && to - from <= size) {
        best = row;
        size = to - from;
      }
    }
  });
  return best;
}

const pathsShown = 50;

type Groups = WrittenText["groups"];

function Losses({ groups, onSelect }: { readonly groups: Groups; readonly onSelect: (row: number) => void }) {
  const words = useWords();
  const count = groups.reduce((sum, { losses }) => sum + losses.length, 0);
  if (count === 0) {
    return (
      <p className="lossless">
        <Icon name="check" />
        {words.nothingLost}
      </p>
    );
  }
  const carried = groups.reduce((sum, group) => sum + group.carried, 0);
  return (
    <section className="losses">
      <h2>
        {words.lossCount(count)}
        {carried > 0 && <small>{words.lossesCarried(carried)}</small>}
      </h2>
      <ul>
        {groups.map(group => (
          <LossRow key={`${group.code} ${group.kind}`} group={group} onSelect={onSelect} />
        ))}
      </ul>
    </section>
  );
}

interface LossRowProps {
  readonly group: Groups[number];
  readonly onSelect: (row: number) => void;
}

function LossRow({ group: { code, kind, message, losses, lit }, onSelect }: LossRowProps) {
  const words = useWords();
  const ours = useInspectorWords();
  const [shown, setShown] = useState(pathsShown);
  return (
    <li>
      <details>
        <summary>
          <Icon name="chevron" />
          <code>{code}</code>
          <span className="kind">{words.lossKinds[kind]}</span>
          <span className="count">{losses.length}</span>
        </summary>
        <p>
          <Prose text={message} />
        </p>
        <ul className="paths">
          {lit.slice(0, shown).map((place, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list that is drawn anew as a whole
            <li key={index}>
              <Place place={place} path={pathText(losses[index]?.path ?? [])} onSelect={onSelect} />
            </li>
          ))}
        </ul>
        {lit.length > shown && (
          <button type="button" className="more" onClick={() => setShown(shown * 10)}>
            {ours.showMore(lit.length - shown)}
          </button>
        )}
      </details>
    </li>
  );
}

/** Without core, which is beside the page. */
const pathText = (path: readonly (string | number)[]): string =>
  path
    .map(step => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");

interface PlaceProps {
  readonly place: LitLoss;
  readonly path: string;
  readonly onSelect: (row: number) => void;
}

function Place({ place: { row }, path, onSelect }: PlaceProps) {
  if (row === undefined) return <code>{path}</code>;
  return (
    <button type="button" className="more" onClick={() => onSelect(row)}>
      <code>{path}</code>
    </button>
  );
}
