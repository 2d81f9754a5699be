import { useState } from "react";
import type { Json } from "translogue";
import { formatBytes } from "../parts/file-view.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { useInspectorWords } from "./use-words.ts";
import { useWindow } from "./virtual.ts";
import type { Bar, Facts, IdFact, SealFact } from "./worker/facts.ts";
import type { Row } from "./worker/rows.ts";

interface FactsTabProps {
  readonly facts: Facts | undefined;
  readonly rows: readonly Row[];
  readonly selected: number | undefined;
  readonly node: Json | undefined;
  readonly onSelect: (row: number) => void;
}

/** What fills the context, and whose things are in it. */
export function FactsTab({ facts, rows, selected, node, onSelect }: FactsTabProps) {
  const words = useInspectorWords();
  const row = selected === undefined ? undefined : rows[selected];
  return (
    <div className="facts">
      {row && node !== undefined && (
        <section>
          <h2>{words.selectedNode}</h2>
          <p>
            <code>{row.path}</code> · {words.tokensAbout(row.tokens)}
          </p>
          <JsonTree value={node} depth={1} key={row.path} />
        </section>
      )}
      {facts && <AllFacts facts={facts} rows={rows} selected={selected} onSelect={onSelect} />}
    </div>
  );
}

interface AllFactsProps {
  readonly facts: Facts;
  readonly rows: readonly Row[];
  readonly selected: number | undefined;
  readonly onSelect: (row: number) => void;
}

function AllFacts({ facts, rows, selected, onSelect }: AllFactsProps) {
  const words = useInspectorWords();
  const { tokens, characters, messages, tools, toolTokens, model, usage } = facts;
  return (
    <>
      <section>
        <h2>{words.size}</h2>
        <dl className="sums">
          <Sum name={words.tokens} value={words.about(tokens)} />
          <Sum name={words.messages} value={words.number(messages)} />
          {tools > 0 && <Sum name={words.tools} value={`${words.number(tools)} · ${words.tokensAbout(toolTokens)}`} />}
          <Sum name={words.text} value={formatBytes(characters)} />
          {model !== undefined && <Sum name={words.model} value={model} />}
          {usage && <Sum name={words.counted} value={words.usage(usage.input, usage.output)} />}
        </dl>
      </section>
      <section>
        <h2>{words.whatFills}</h2>
        <Shares rows={facts.byType} total={tokens} label={words.byPart} />
        <Shares rows={facts.byRole} total={tokens} label={words.byRole} />
      </section>
      <section>
        <h2>{words.byMessage}</h2>
        <Bars bars={facts.bars} selected={selected} onSelect={onSelect} />
      </section>
      {facts.ids.length > 0 && <Ids ids={facts.ids} rows={rows} onSelect={onSelect} />}
      <Seals seals={facts.seals} rows={rows} onSelect={onSelect} />
    </>
  );
}

const Sum = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

interface SharesProps {
  readonly rows: Facts["byType"];
  readonly total: number;
  readonly label: string;
}

function Shares({ rows, total, label }: SharesProps) {
  const words = useInspectorWords();
  return (
    <table className="shares">
      <caption>{label}</caption>
      <tbody>
        {rows.map(([name, tokens, count]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="figure">{words.times(count)}</td>
            <td className="figure">{words.number(tokens)}</td>
            <td className="share" aria-hidden="true">
              <span
                className={`fill is-${name}`}
                style={{ inlineSize: `${total > 0 ? (100 * tokens) / total : 0}%` }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly selected: number | undefined;
  readonly onSelect: (row: number) => void;
}

/** A bar a message: how long it is, and of what. */
function Bars({ bars, selected, onSelect }: BarsProps) {
  const words = useInspectorWords();
  const view = useWindow(bars.length);
  const most = bars.reduce((largest, { tokens }) => Math.max(largest, tokens), 1);
  return (
    <div className="bars" ref={view.box} onScroll={view.onScroll}>
      <div className="tall" style={{ height: bars.length * view.rowHeight }}>
        <ol className="seen" style={{ transform: `translateY(${view.first * view.rowHeight}px)` }} start={view.first}>
          {bars.slice(view.first, view.end).map(({ row, role, tokens, parts }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages do not move
            <li key={view.first + index}>
              <button
                type="button"
                className={row === selected ? "meter selected" : "meter"}
                onClick={() => onSelect(row)}
              >
                <span className="sr-only">{words.messageNumber(view.first + index)}</span>
                <span className="role">{role}</span>
                <span className="track">
                  {parts.map(([type, part]) => (
                    <span
                      key={type}
                      className={`fill is-${type}`}
                      style={{ inlineSize: `${(100 * part) / most}%` }}
                      title={`${type}: ${part}`}
                    />
                  ))}
                </span>
                <span className="figure">{words.number(tokens)}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

interface PlacesProps {
  readonly rows: readonly Row[];
  readonly onSelect: (row: number) => void;
}

const atFirst = 50;

function Ids({ ids, rows, onSelect }: PlacesProps & { readonly ids: readonly IdFact[] }) {
  const words = useInspectorWords();
  const [shown, setShown] = useState(atFirst);
  return (
    <details>
      <summary>
        <h2>{words.ids(ids.length)}</h2>
      </summary>
      <ul className="places">
        {ids.slice(0, shown).map(({ id, kind, row, hasResult, resultRow }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids may be there twice
          <li key={index}>
            <span className="kind">{words.idKinds[kind]}</span> <code>{id}</code>
            <At row={row} rows={rows} onSelect={onSelect} />
            {hasResult === false && <span className="badge">{words.noResult}</span>}
            {resultRow !== undefined && (
              <>
                <span aria-hidden="true">→</span>
                <At row={resultRow} rows={rows} onSelect={onSelect} />
              </>
            )}
          </li>
        ))}
      </ul>
      {ids.length > shown && (
        <button type="button" className="more" onClick={() => setShown(shown * 10)}>
          {words.showMore(ids.length - shown)}
        </button>
      )}
    </details>
  );
}

function Seals({ seals, rows, onSelect }: PlacesProps & { readonly seals: readonly SealFact[] }) {
  const words = useInspectorWords();
  const [shown, setShown] = useState(atFirst);
  if (seals.length === 0) return <p className="none">{words.noSeals}</p>;
  return (
    <details>
      <summary>
        <h2>{words.seals(seals.length)}</h2>
      </summary>
      <ul className="places">
        {seals.slice(0, shown).map(({ maker, model, route, values, row }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a seal has no name
          <li key={index}>
            <span className="kind">{[maker ?? words.unknownMaker, model, route].filter(Boolean).join(" · ")}</span>
            {values.map(([name, length]) => (
              <code key={name}>
                {name} ({formatBytes(length)})
              </code>
            ))}
            <At row={row} rows={rows} onSelect={onSelect} />
          </li>
        ))}
      </ul>
      {seals.length > shown && (
        <button type="button" className="more" onClick={() => setShown(shown * 10)}>
          {words.showMore(seals.length - shown)}
        </button>
      )}
    </details>
  );
}

/** A place that can be gone to. */
function At({ row, rows, onSelect }: PlacesProps & { readonly row: number | undefined }) {
  if (row === undefined) return null;
  return (
    <button type="button" className="more" onClick={() => onSelect(row)}>
      <code>{rows[row]?.path}</code>
    </button>
  );
}
