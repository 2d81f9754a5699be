import { type MouseEvent, type ReactNode, useEffect, useMemo } from "react";
import { paintJson } from "../panel/json-paint.tsx";
import { rowAt, rowsOfText } from "./text-rows.ts";
import { useWindow } from "./virtual.ts";

/** Pieces of the text that are lit: starts and ends by turns. */
export interface Light {
  readonly look: "selected" | "lost" | "carried";
  readonly spans: readonly number[];
}

interface SourceViewProps {
  readonly text: string;
  readonly label: string;
  readonly lights: readonly Light[];
  /** What is to be seen: of its pieces the first. `reveals` grows when it is to be brought into view again. */
  readonly shown?: readonly number[];
  readonly reveals: number;
  readonly onPick?: (offset: number) => void;
}

/** A character of the font, in parts of a row's height. */
const characterWidth = 0.395;
const gutter = 4.2;

/** A text as it is, of any length: only what can be seen is drawn. */
export function SourceView({ text, label, lights, shown = [], reveals, onPick }: SourceViewProps) {
  const view = useWindow(Number.POSITIVE_INFINITY);
  const columns = Math.floor((view.width - gutter * 16) / (view.rowHeight * characterWidth));
  const rows = useMemo(() => rowsOfText(text, columns), [text, columns]);
  // The window is measured first: how many rows there are depends on its width.
  const end = Math.min(view.end, rows.starts.length);
  const marks = useMemo(() => marksOf(lights), [lights]);
  const [from] = shown;
  const { reveal } = view;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown again is brought into view again
  useEffect(() => {
    if (from !== undefined) reveal(rowAt(rows, from));
  }, [from, rows, reveal, reveals]);
  const pick = (event: MouseEvent): void => {
    const offset = offsetAt(event);
    if (offset !== undefined && getSelection()?.isCollapsed !== false) onPick?.(offset);
  };
  const drawn: ReactNode[] = [];
  for (let row = view.first; row < end; row++) {
    const start = rows.starts[row] ?? 0;
    const next = rows.starts[row + 1] ?? text.length + 1;
    const isLineEnd = rows.lines[row + 1] !== 0;
    const rowEnd = Math.min(isLineEnd ? next - 1 : next, text.length);
    const line = rows.lines[row] ?? 0;
    drawn.push(
      <div className="line" key={row}>
        <span className="number" aria-hidden="true">
          {line > 0 ? line : ""}
        </span>
        <code data-start={start}>{litLine(text, { start, end: rowEnd, marks, isPainted: line > 0 && isLineEnd })}</code>
      </div>,
    );
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree selects by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      className="source"
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      ref={view.box}
      onScroll={view.onScroll}
      onClick={pick}
    >
      <div className="tall" style={{ height: rows.starts.length * view.rowHeight }}>
        <div className="seen" style={{ transform: `translateY(${view.first * view.rowHeight}px)` }}>
          {drawn}
        </div>
      </div>
    </div>
  );
}

interface Mark {
  readonly from: number;
  readonly to: number;
  readonly look: Light["look"];
}

function marksOf(lights: readonly Light[]): readonly Mark[] {
  const marks: Mark[] = [];
  for (const { look, spans } of lights) {
    for (let index = 0; index + 1 < spans.length; index += 2) {
      marks.push({ look, from: spans[index] ?? 0, to: spans[index + 1] ?? 0 });
    }
  }
  return marks;
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Mark[];
  readonly isPainted: boolean;
}

/** A row of the text, cut where a light begins or ends. */
function litLine(text: string, { start, end, marks, isPainted }: Line): ReactNode {
  const here = marks.filter(({ from, to }) => from < end && to > start);
  const paint = (from: number, to: number): ReactNode => {
    const piece = text.slice(from, to);
    return isPainted ? paintJson(piece) : piece;
  };
  if (here.length === 0) return paint(start, end);
  const cuts = [start, end, ...here.flatMap(({ from, to }) => [Math.max(from, start), Math.min(to, end)])];
  const places = [...new Set(cuts)].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, index) => {
    const to = places[index + 1] ?? end;
    const looks = new Set(here.flatMap(mark => (mark.from <= from && mark.to >= to ? [mark.look] : [])));
    return looks.size === 0 ? (
      <span key={from}>{paint(from, to)}</span>
    ) : (
      <mark key={from} className={[...looks].join(" ")}>
        {paint(from, to)}
      </mark>
    );
  });
}

/** The place in the text that was clicked at. */
function offsetAt({ clientX, clientY, target }: MouseEvent): number | undefined {
  const caret = caretAt(clientX, clientY);
  const element = caret?.node instanceof Element ? caret.node : caret?.node.parentElement;
  const line = element?.closest("[data-start]") ?? (target instanceof Element ? lineOf(target) : null);
  if (!line) return undefined;
  const start = Number(line.getAttribute("data-start"));
  if (!caret || !line.contains(caret.node)) return start;
  const range = document.createRange();
  range.setStart(line, 0);
  range.setEnd(caret.node, caret.offset);
  return start + range.toString().length;
}

const lineOf = (target: Element): Element | null => target.closest(".line")?.querySelector("[data-start]") ?? null;

function caretAt(x: number, y: number): { readonly node: Node; readonly offset: number } | undefined {
  if ("caretPositionFromPoint" in document) {
    const position = document.caretPositionFromPoint(x, y);
    return position ? { node: position.offsetNode, offset: position.offset } : undefined;
  }
  const range = (document as Document).caretRangeFromPoint(x, y); // older browsers have this one
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}
