import { type ReactNode, useState } from "react";
import type { Json } from "translogue";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";

interface JsonTreeProps {
  readonly value: Json;
  /** Levels that are open at first. */
  readonly depth?: number;
}

/** Any JSON, as a tree that opens and closes. Large values are drawn a piece at a time. */
export function JsonTree({ value, depth = 2 }: JsonTreeProps) {
  return (
    <div className="json">{isBranch(value) ? <Members value={value} depth={depth} /> : <Leaf value={value} />}</div>
  );
}

type Branch = readonly Json[] | { readonly [key: string]: Json };

const isBranch = (value: Json): value is Branch => typeof value === "object" && value !== null;
const isList = (value: Branch): value is readonly Json[] => Array.isArray(value);
const isEmpty = (value: Branch): boolean => Object.keys(value).length === 0;

const pageSize = 50;

function Members({ value, depth }: { readonly value: Branch; readonly depth: number }) {
  const words = useWords();
  const [shown, setShown] = useState(pageSize);
  const entries = isList(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  if (entries.length === 0) return <Leaf value={value} />;
  const left = entries.length - shown;
  return (
    <ul>
      {entries.slice(0, shown).map(([key, item]) => (
        <li key={key}>
          <Member name={key} value={item} depth={depth} />
        </li>
      ))}
      {left > 0 && (
        <li>
          <button type="button" className="more" onClick={() => setShown(shown + pageSize * 4)}>
            {words.showMore(left)}
          </button>
        </li>
      )}
    </ul>
  );
}

interface MemberProps {
  readonly name: string | number;
  readonly value: Json;
  readonly depth: number;
}

function Member({ name, value, depth }: MemberProps) {
  const words = useWords();
  const [isOpen, setOpen] = useState(depth > 0);
  const key = <span className="key">{typeof name === "number" ? name : `${name}:`}</span>;
  if (!isBranch(value) || isEmpty(value)) {
    return (
      <Row label={key}>
        <Leaf value={value} />
      </Row>
    );
  }
  const count = Object.keys(value).length;
  return (
    <>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevron" />
        {key}
        <span className="count">{isList(value) ? words.items(count) : words.members(count)}</span>
      </button>
      {isOpen && <Members value={value} depth={depth - 1} />}
    </>
  );
}

const Row = ({ label, children }: { readonly label: ReactNode; readonly children: ReactNode }) => (
  <div className="row">
    {label}
    {children}
  </div>
);

const clipLength = 1000;

function Leaf({ value }: { readonly value: Json }) {
  const words = useWords();
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className={`leaf ${kindOf(value)}`}>{JSON.stringify(value)}</span>;
  const isClipped = value.length > clipLength && !isWhole;
  return (
    <span className="leaf string">
      {isClipped ? value.slice(0, clipLength).toWellFormed() : value === "" ? "“”" : value}
      {isClipped && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          {words.showMore(value.length - clipLength)}
        </button>
      )}
    </span>
  );
}

const kindOf = (value: Json): string => (value === null || typeof value === "object" ? "none" : typeof value);

/** A value in one line, for people: `a: 19, b: 23`. */
export function inOneLine(value: Json, length = 120): string {
  const text = isBranch(value) && !isList(value) ? membersLine(value, length) : valueLine(value, length);
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}

function membersLine(value: Branch, length: number): string {
  let line = "";
  for (const [key, item] of Object.entries(value)) {
    if (line.length > length) break;
    line += `${line === "" ? "" : ", "}${key}: ${valueLine(item, length)}`;
  }
  return line;
}

/** Only as much as is shown is written out. */
function valueLine(value: Json, length: number): string {
  if (typeof value === "string") return value.slice(0, length + 1).replaceAll(/\s+/g, " ");
  if (!isBranch(value)) return JSON.stringify(value);
  const items = isList(value) ? value.slice(0, 20) : Object.entries(value).slice(0, 20);
  if (items.length === 0) return isList(value) ? "[]" : "{}";
  const inside = isList(value) ? items.map(item => leafLine(item as Json)) : Object.keys(value).slice(0, 20); // a list's items
  return isList(value) ? `[${inside.join(", ")}]` : `{${inside.join(", ")}}`;
}

const leafLine = (value: Json): string =>
  typeof value === "string" ? value.slice(0, 60) : isBranch(value) ? "…" : JSON.stringify(value);
