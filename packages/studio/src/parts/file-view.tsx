import type { FilePart } from "translogue";
import { LongText } from "../markdown/code-view.tsx";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { PartList, type PartProps } from "./part-views.tsx";

/** A file with a preview where the browser can show one, and a name and a kind always. */
export function FileView({ part }: PartProps<"file">) {
  const words = useWords();
  const name = part.name ?? part.mediaType ?? words.file;
  const address = addressOf(part);
  return (
    <figure className="file">
      <Preview part={part} address={address} name={name} />
      <figcaption>
        <Icon name="file" />
        {address === undefined ? (
          <span>{name}</span>
        ) : (
          <a href={address} download={part.name ?? true} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        )}
        <Facts part={part} />
      </figcaption>
      {part.text !== undefined && <LongText text={part.text} label={name} />}
    </figure>
  );
}

interface PreviewProps {
  readonly part: FilePart;
  readonly address: string | undefined;
  readonly name: string;
}

function Preview({ part, address, name }: PreviewProps) {
  const { source, mediaType = "" } = part;
  if ("parts" in source) return <PartList parts={source.parts} />;
  if ("text" in source) return <LongText text={source.text} label={name} />;
  if (address === undefined) return null;
  if (mediaType.startsWith("image/")) return <img src={address} alt={name} loading="lazy" />;
  // biome-ignore lint/a11y/useMediaCaption: what a model or a person sent has no captions
  if (mediaType.startsWith("audio/")) return <audio src={address} controls aria-label={name} />;
  // biome-ignore lint/a11y/useMediaCaption: what a model or a person sent has no captions
  if (mediaType.startsWith("video/")) return <video src={address} controls aria-label={name} />;
  return null;
}

function Facts({ part: { source, mediaType, name } }: { readonly part: FilePart }) {
  const words = useWords();
  const facts = [
    name === undefined ? undefined : mediaType,
    "data" in source ? sizeOf(source.data) : undefined,
    "id" in source ? (source.provider === undefined ? source.id : words.fileBy(source.provider)) : undefined,
  ].filter(fact => fact !== undefined);
  return facts.length === 0 ? null : <small>{facts.join(" · ")}</small>;
}

/** Where a browser finds it: only what is in the message itself, or on the web. */
function addressOf({ source, mediaType }: FilePart): string | undefined {
  if ("data" in source) return `data:${mediaType?.includes("*") ? "" : (mediaType ?? "")};base64,${source.data}`;
  if ("url" in source && /^(?:https?:|data:)/i.test(source.url)) return source.url;
  return undefined;
}

const sizeOf = (base64: string): string => formatBytes(Math.floor((base64.length * 3) / 4));

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}
