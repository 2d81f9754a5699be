import { type KeyboardEvent, memo, useEffect, useId, useMemo, useState } from "react";
import { Icon } from "../shell/icon.tsx";
import { useInspectorWords } from "./use-words.ts";
import { useWindow } from "./virtual.ts";
import type { Row } from "./worker/rows.ts";

interface TreeViewProps {
  readonly rows: readonly Row[];
  readonly selected: number | undefined;
  readonly reveals: number;
  /** Rows where something is wrong, and how bad. */
  readonly faults: ReadonlyMap<number, string>;
  readonly onSelect: (row: number) => void;
}

const steps: ReadonlyMap<string, number> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
  ["PageDown", 15],
  ["PageUp", -15],
]);

/** So many rows are open at first. */
const mostOpen = 300;

/** The messages and parts of a conversation. One stop for the keyboard, and arrows inside of it. */
export function TreeView({ rows, selected, reveals, faults, onSelect }: TreeViewProps) {
  const words = useInspectorWords();
  const name = useId();
  const { shown, closed, setOpen } = useShown(rows, selected);
  const view = useWindow(shown.length);
  const at = selected === undefined ? -1 : shown.indexOf(selected);
  const { reveal } = view;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected again is brought into view again
  useEffect(() => {
    if (at >= 0) reveal(at);
  }, [at, reveal, reveals]);
  const go = (place: number): void => {
    const row = shown[Math.min(Math.max(place, 0), shown.length - 1)];
    if (row !== undefined) onSelect(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = selected === undefined ? undefined : rows[selected];
    const isOpen = selected !== undefined && !closed.has(selected) && (row?.inside ?? 0) > 0;
    const step = steps.get(event.key);
    if (step !== undefined) go(at < 0 ? 0 : at + step);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(shown.length - 1);
    else if (event.key === "ArrowRight" && selected !== undefined && row && row.inside > 0) {
      if (isOpen) go(at + 1);
      else setOpen(selected, true);
    } else if (event.key === "ArrowLeft" && selected !== undefined && row) {
      if (isOpen) setOpen(selected, false);
      else if (row.above >= 0) onSelect(row.above);
    } else return;
    event.preventDefault();
  };
  // Whoever opened something by keyboard goes on in what came of it.
  const { box } = view;
  useEffect(() => {
    if (document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [box]);
  const isActiveDrawn = at >= view.first && at < view.end;
  return (
    <div
      className="tree"
      role="tree"
      aria-label={words.tree}
      tabIndex={0}
      ref={view.box}
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
      {...(isActiveDrawn && { "aria-activedescendant": `${name}-${selected}` })}
    >
      <div className="tall" role="none" style={{ height: shown.length * view.rowHeight }}>
        <div className="seen" role="none" style={{ transform: `translateY(${view.first * view.rowHeight}px)` }}>
          {shown.slice(view.first, view.end).map(number => {
            const row = rows[number];
            return (
              row && (
                <TreeRow
                  key={number}
                  id={`${name}-${number}`}
                  number={number}
                  row={row}
                  isSelected={number === selected}
                  isOpen={!closed.has(number)}
                  fault={faults.get(number)}
                  onSelect={onSelect}
                  onOpen={setOpen}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The rows that are not inside of one that is closed. What is selected is never hidden. */
function useShown(rows: readonly Row[], selected: number | undefined) {
  const [state, setState] = useState(() => ({ rows, closed: closedAtFirst(rows) }));
  const closed = state.rows === rows ? state.closed : closedAtFirst(rows);
  const visible = useMemo(() => {
    const around = new Set<number>();
    for (let row = rows[selected ?? -1]?.above ?? -1; row >= 0; row = rows[row]?.above ?? -1) around.add(row);
    return [...closed].some(row => around.has(row)) ? new Set([...closed].filter(row => !around.has(row))) : closed;
  }, [rows, closed, selected]);
  const shown = useMemo(() => {
    const list: number[] = [];
    for (let row = 0; row < rows.length; row++) {
      list.push(row);
      if (visible.has(row)) row += rows[row]?.inside ?? 0;
    }
    return list;
  }, [rows, visible]);
  const setOpen = (row: number, isOpen: boolean): void => {
    const next = new Set(visible);
    if (isOpen) next.delete(row);
    else next.add(row);
    setState({ rows, closed: next });
  };
  return { shown, closed: visible, setOpen };
}

const closedAtFirst = (rows: readonly Row[]): ReadonlySet<number> =>
  rows.length <= mostOpen ? new Set() : new Set(rows.flatMap((row, number) => (row.inside > 0 ? [number] : [])));

interface TreeRowProps {
  readonly id: string;
  readonly number: number;
  readonly row: Row;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly fault: string | undefined;
  readonly onSelect: (row: number) => void;
  readonly onOpen: (row: number, isOpen: boolean) => void;
}

const TreeRow = memo(function TreeRow(props: TreeRowProps) {
  const { id, number, row, isSelected, isOpen, fault, onSelect, onOpen } = props;
  const words = useInspectorWords();
  const { name, text, tokens, inside, depth, kind } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and says which row is meant
    <div
      id={id}
      role="treeitem"
      className={`row is-${kind}`}
      aria-level={depth + 1}
      aria-selected={isSelected}
      {...(inside > 0 && { "aria-expanded": isOpen })}
      style={{ paddingInlineStart: `${0.25 + depth * 0.9}rem` }}
      onClick={() => onSelect(number)}
      onDoubleClick={() => inside > 0 && onOpen(number, !isOpen)}
    >
      <span
        className={inside > 0 ? "twist" : "twist none"}
        onClick={event => {
          if (inside === 0) return;
          event.stopPropagation();
          onOpen(number, !isOpen);
        }}
        aria-hidden="true"
      >
        {inside > 0 && <Icon name="chevron" />}
      </span>
      <span className={`name is-${name}`}>{name}</span>
      <span className="text" dir="auto">
        {text}
      </span>
      {fault !== undefined && (
        <span className={`fault ${fault}`} title={words.severities[fault] ?? fault}>
          <Icon name="warning" />
          <span className="sr-only">{words.severities[fault] ?? fault}</span>
        </span>
      )}
      <span className="tokens" title={words.tokensAbout(tokens)}>
        {tokens}
      </span>
    </div>
  );
});
