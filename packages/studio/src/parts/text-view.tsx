import type { Citation } from "translogue";
import { Link, MarkdownText } from "../markdown/markdown.tsx";
import type { PartProps } from "./part-views.tsx";

/** What a model wrote is Markdown; what a person wrote is shown as it is. */
export function TextView({ part, side }: PartProps<"text">) {
  if (side === "user") return <p className="written">{part.text}</p>;
  if (part.text === "") return null;
  return (
    <div className={part.phase === "commentary" ? "text commentary" : "text"}>
      <MarkdownText text={part.text} />
      {part.citations && part.citations.length > 0 && <Citations citations={part.citations} />}
    </div>
  );
}

function Citations({ citations }: { readonly citations: readonly Citation[] }) {
  return (
    <ul className="chips">
      {citations.map((citation, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: citations only ever come behind the others
        <li key={index}>
          <ReferenceChip {...citation} hint={citation.quote} />
        </li>
      ))}
    </ul>
  );
}

interface ReferenceChipProps {
  readonly url?: string;
  readonly title?: string;
  readonly name?: string;
  readonly fileId?: string;
  readonly hint?: string | undefined;
}

/** A place that something comes from, by the name it has. */
export function ReferenceChip({ url, title, name, fileId, hint }: ReferenceChipProps) {
  const label = title ?? name ?? (url === undefined ? (fileId ?? "—") : hostOf(url));
  if (url === undefined || !isWeb(url)) {
    return (
      <span className="chip" title={hint ?? url ?? fileId}>
        {label}
      </span>
    );
  }
  return (
    <span className="chip" title={hint ?? url}>
      <Link href={url}>{label}</Link>
      {label !== hostOf(url) && <small>{hostOf(url)}</small>}
    </span>
  );
}

export const isWeb = (url: string): boolean => /^https?:\/\//i.test(url);

function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/^www\./, "") || url;
  } catch {
    return url;
  }
}
