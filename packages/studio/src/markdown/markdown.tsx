import {
  type AnchorHTMLAttributes,
  createContext,
  memo,
  type TableHTMLAttributes,
  useContext,
  useId,
  useState,
} from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { useWords } from "../shell/use-words.ts";
import { type Block, type Blocks, MarkdownBlocks, type TextBlock, withDefinitions } from "./blocks.ts";
import { CodeView } from "./code-view.tsx";

/** Markdown that may still grow: only its last block is parsed and drawn again. */
export function MarkdownText({ text }: { readonly text: string }) {
  const [reader] = useState(() => new MarkdownBlocks());
  const prefix = `${useId()}-`;
  const { finished, open, definitions } = reader.read(text);
  return (
    <Definitions value={definitions}>
      <Prefix value={prefix}>
        <div className="markdown">
          {finished.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever come behind the others
            <BlockView key={index} block={block} definitions={definitions} />
          ))}
          {open && <BlockView key={finished.length} block={open} definitions={definitions} />}
          {definitions.size > 0 && <Footnotes definitions={definitions} prefix={prefix} />}
        </div>
      </Prefix>
    </Definitions>
  );
}

/** Of the text that a block belongs to. */
const Definitions = createContext<Blocks["definitions"]>(new Map());
/** Of the ids in a text, so that no two texts have the same. */
const Prefix = createContext("");

interface BlockProps {
  readonly block: Block;
  readonly definitions: Blocks["definitions"];
}

const BlockView = memo(
  function BlockView({ block, definitions }: BlockProps) {
    if (block.kind === "code") return <CodeView code={block.code} language={block.language} />;
    return <ParsedView block={block} definitions={definitions} />;
  },
  (before, now) => sameBlock(before.block, now.block) && (before.definitions === now.definitions || !refers(now.block)),
);

function sameBlock(before: Block, now: Block): boolean {
  if (before === now) return true;
  if (before.kind === "text" && now.kind === "text") return before.text === now.text && before.isRest === now.isRest;
  return before.kind === "code" && now.kind === "code" && before.code === now.code && before.language === now.language;
}

const refers = (block: Block): boolean => block.kind === "text" && block.text.includes("[");

function ParsedView({
  block,
  definitions,
}: {
  readonly block: TextBlock;
  readonly definitions: Blocks["definitions"];
}) {
  return (
    <div className={block.isRest ? "block rest" : "block"}>
      <Parsed text={withDefinitions(block, definitions)} />
    </div>
  );
}

function Parsed({ text }: { readonly text: string }) {
  return (
    <Markdown
      remarkPlugins={plugins}
      remarkRehypeOptions={{ clobberPrefix: useContext(Prefix) }}
      components={components}
    >
      {text}
    </Markdown>
  );
}

interface FootnotesProps {
  readonly definitions: Blocks["definitions"];
  readonly prefix: string;
}

/** The notes of all blocks, once, behind them. */
function Footnotes({ definitions, prefix }: FootnotesProps) {
  const notes = [...definitions].filter(([label]) => label.startsWith("^"));
  if (notes.length === 0) return null;
  return (
    <ol className="footnotes">
      {notes.map(([label, line]) => (
        <li key={label} id={`${prefix}fn-${label.slice(1)}`}>
          <Parsed text={line.replace(/^\[[^\]]*\]:\s*/, "")} />
        </li>
      ))}
    </ol>
  );
}

/** The number under which a note stands behind the text. */
function NoteLink({ href }: { readonly href: string }) {
  const labels = [...useContext(Definitions).keys()].filter(label => label.startsWith("^"));
  const label = decodeURIComponent(href).slice(`#${useContext(Prefix)}fn-`.length);
  return <a href={href}>{labels.indexOf(`^${label}`) + 1}</a>;
}

const plugins = [remarkGfm];

const components: Components = {
  a: ({ node, ...props }) =>
    node?.properties["dataFootnoteRef"] === undefined ? <Link {...props} /> : <NoteLink href={props.href ?? ""} />,
  // Each block has its own; they stand together behind the last.
  section: ({ node, ...props }) => (node?.properties["dataFootnotes"] === undefined ? <section {...props} /> : null),
  // Below the headings of the page and of the message.
  h1: ({ node: _, ...props }) => <h3 className="h1" {...props} />,
  h2: ({ node: _, ...props }) => <h4 className="h2" {...props} />,
  h3: ({ node: _, ...props }) => <h5 className="h3" {...props} />,
  h4: ({ node: _, ...props }) => <h6 {...props} />,
  h5: ({ node: _, ...props }) => <h6 {...props} />,
  // A picture that a model names is not fetched before a person asks for it: its address may carry out what was said.
  img: ({ src, alt }) => (typeof src === "string" ? <Link href={src}>{alt || src}</Link> : alt),
  pre: ({ node, children }) => {
    const [code] = node?.children ?? [];
    if (code?.type !== "element") return <pre>{children}</pre>;
    const text = code.children.map(child => (child.type === "text" ? child.value : "")).join("");
    const [, language = ""] = /language-(\S+)/.exec(String(code.properties["className"] ?? "")) ?? [];
    return <CodeView code={text.replace(/\n$/, "")} language={language} />;
  },
  table: ({ node: _, ...props }) => <Table {...props} />,
  input: ({ checked }) => <TaskBox isDone={checked === true} />,
};

/** A link says where it leads before it is followed, and takes nothing along. */
export function Link({ href = "", children, ...props }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  if (href.startsWith("#")) {
    return (
      <a {...props} href={href}>
        {children}
      </a>
    );
  }
  return (
    <a {...props} className="link" href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

function TaskBox({ isDone }: { readonly isDone: boolean }) {
  const words = useWords();
  return (
    <input
      type="checkbox"
      className="task"
      disabled
      checked={isDone}
      aria-label={isDone ? words.done : words.notDone}
    />
  );
}

function Table(props: TableHTMLAttributes<HTMLTableElement>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="table" tabIndex={0}>
      <table {...props} />
    </div>
  );
}
