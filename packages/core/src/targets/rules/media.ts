import type { Path } from "../../model/issue.ts";
import type { FilePart, Part } from "../../model/parts.ts";
import type { Medium, Place, RuleTable, SourceKind } from "../target.ts";
import type { Turn, View } from "../turns.ts";
import type { RuleCheck, RuleReport } from "./rule.ts";
import { saidIn } from "./said.ts";

interface PlacedFile {
  readonly file: FilePart;
  readonly path: Path;
  readonly place: Place;
}

/** Files that a provider is sent, where they stand. */
export function* filesOf(view: View): Generator<PlacedFile> {
  for (const turn of view.turns) {
    for (const { part, path } of turn.parts) yield* filesIn(part, path, placeOf(turn, part));
  }
}

function placeOf({ side }: Turn, part: Part): Place {
  if (part.type === "tool-result") return "result";
  return side;
}

function* filesIn(part: Part, path: Path, place: Place): Generator<PlacedFile> {
  if (part.type === "file") yield { file: part, path, place };
  // A summary is said where the compaction stands.
  else if (part.type === "compaction") {
    for (const [index, inner] of (part.summary ?? []).entries())
      yield* filesIn(inner, [...path, "summary", index], place);
  }
  // What the provider's own tools give is not sent to it by us.
  else if (part.type === "tool-result" && part.kind === undefined) {
    for (const [index, inner] of (part.output ?? []).entries())
      yield* filesIn(inner, [...path, "output", index], place);
  }
}

const types: { readonly [extension: string]: string } = {
  aac: "audio/aac",
  aiff: "audio/aiff",
  avi: "video/x-msvideo",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  flac: "audio/flac",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  m4a: "audio/mp4",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  mpeg: "video/mpeg",
  ogg: "audio/ogg",
  opus: "audio/opus",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
};

/** The media type as told, or by the end of its name or URL. */
export function mediaTypeOf({ mediaType, name, source }: FilePart): string | undefined {
  if (mediaType !== undefined) return mediaType.toLowerCase();
  if ("text" in source) return "text/plain";
  const url = "url" in source ? source.url : undefined;
  const told = url === undefined ? undefined : /^data:([^;,]+)/.exec(url)?.[1];
  if (told !== undefined) return told.toLowerCase();
  const place = url?.replace(/[?#].*$/s, "") ?? name ?? "";
  const extension = /\.([A-Za-z0-9]{2,4})$/.exec(place)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(types, extension) ? types[extension] : undefined;
}

/** What is given as text or as blocks is to be read, whatever its type is said to be. */
export function mediumOf(file: FilePart): Medium {
  const type = mediaTypeOf(file) ?? "";
  const isRead = "text" in file.source || "parts" in file.source;
  const family = (isRead ? /^(text)\// : /^(image|audio|video|text)\//).exec(type)?.[1];
  return (family as Medium | undefined) ?? "document"; // a family of the pattern is a medium
}

/** `image/*` asks for the kind alone. */
const isOf = (type: string, allowed: string): boolean =>
  type === allowed || (allowed.endsWith("/") ? type.startsWith(allowed) : type === `${allowed.split("/")[0]}/*`);

/**
 * Whether a place takes files of this type; one that nobody tells may be any of them, but data without a type goes as bytes (RFC 2046,
 * 4.5.1). What is given as text is text, whatever its type is said to be.
 */
export function isTakenType(file: FilePart, allowed: readonly string[]): boolean {
  const type = mediaTypeOf(file) ?? ("data" in file.source ? "application/octet-stream" : undefined);
  if (type === undefined) return allowed.length > 0;
  return allowed.some(each => isOf(type, each) || ("text" in file.source && isOf("text/plain", each)));
}

/** Whether a file comes in a way that its medium is taken in. */
export const isTakenSource = (file: FilePart, allowed: RuleTable["media-source"]): boolean =>
  allowed[mediumOf(file)]?.includes(kindOf(file)) ?? true;

export const allowedAt = (places: RuleTable["media"], place: Place): readonly string[] | undefined =>
  places[place] ?? (place === "system" ? places.user : undefined);

export const media: RuleCheck<"media"> = (view, places, { report }) => {
  for (const { file, path, place } of filesOf(view)) {
    const allowed = allowedAt(places, place);
    const type = mediaTypeOf(file);
    if (allowed === undefined || isTakenType(file, allowed)) {
      if (isOfWords(file)) {
        const said = { type: type ?? "unknown", medium: "image", format: type?.split("/")[1] ?? "" };
        report(path, `is told to be \`${type}\`, and its data is words. Send the picture, or leave it out.`, said);
      }
      continue;
    }
    const where = {
      user: "a user's message",
      assistant: "an assistant's message",
      result: "a tool's result",
      system: "system text",
    }[place];
    const what = allowed.length === 0 ? "no files" : `only ${allowed.join(", ")}`;
    report(
      path,
      `is a file of type \`${type ?? "unknown"}\`, and ${where} takes ${what} here. Leave it out, or put words in its place.`,
      { type: type ?? "unknown", medium: mediumOf(file), format: type?.split("/")[1] ?? "" },
    );
  }
};

function sources(
  view: View,
  params: RuleTable["media-source"],
  { places, report }: { readonly places: readonly Place[]; readonly report: RuleReport },
): void {
  for (const { file, path, place } of filesOf(view)) {
    if (!places.includes(place) || isTakenSource(file, params)) continue;
    const medium = mediumOf(file);
    const allowed = params[medium] ?? [];
    const kind = kindOf(file);
    report(
      [...path, "source"],
      `is a file by ${words[kind]}, and a file of this kind (${medium}) is taken only by ${allowed.map(each => words[each]).join(" or ")}. Fetch it and send it so, or leave it out.`,
      { medium },
    );
  }
}

const words: { readonly [kind in SourceKind]: string } = {
  url: "URL",
  data: "its data",
  id: "an id",
  text: "its text",
  parts: "blocks",
};

function kindOf({ source }: FilePart): SourceKind {
  if ("data" in source) return "data";
  if ("url" in source) return source.url.startsWith("data:") ? "data" : "url";
  if ("id" in source) return "id";
  return "text" in source ? "text" : "parts";
}

export const mediaSource: RuleCheck<"media-source"> = (view, params, { report }) =>
  sources(view, params, { places: ["user", "system", "assistant"], report });

export const resultMediaSource: RuleCheck<"result-media-source"> = (view, params, { report }) =>
  sources(view, params, { places: ["result"], report });

export const assistantMediaSource: RuleCheck<"assistant-media-source"> = (view, params, { report }) =>
  sources(view, params, { places: ["assistant"], report });

/** Whether the data of a file is a URL that holds it. */
export const isUrlOfData = ({ source }: FilePart): boolean => "data" in source && source.data.startsWith("data:");

export const mediaData: RuleCheck<"media-data"> = (view, _, { report }) => {
  for (const { file, path } of filesOf(view)) {
    if (isUrlOfData(file))
      report([...path, "source", "data"], "is a `data:` URL, not the base64 in it. Cut it behind the comma.");
  }
};

const bytesOf: readonly (readonly [start: RegExp, type: string])[] = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD/, "image/gif"],
  // `RIFF`, four bytes of length, `WEBP`.
  [/^UklGR.{6}XRUJQ/, "image/webp"],
];

/** What a picture is, where its media type says something else or says it in another way; undefined = nothing else is known. */
export function meantType({ mediaType, source }: FilePart): string | undefined {
  if (mediaType === undefined || !/^image\//i.test(mediaType)) return undefined;
  const [told = ""] = mediaType.toLowerCase().split(";");
  const spelled = told.trim() === "image/jpg" ? "image/jpeg" : told.trim();
  const seen = "data" in source ? bytesOf.find(([start]) => start.test(source.data))?.[1] : undefined;
  const meant = seen ?? spelled;
  return meant === mediaType ? undefined : meant;
}

const pictures = /^image\/(?:png|jpe?g|gif|webp)$/i;

/** A picture whose data is words, such as the page that a host sent in its place. */
export function isOfWords({ mediaType, source }: FilePart): boolean {
  if (mediaType === undefined || !pictures.test(mediaType)) return false;
  const data = "data" in source ? source.data : "url" in source ? dataOf(source.url) : undefined;
  const start = data?.slice(0, 4 * fewestWords) ?? "";
  if (start.length < 2 * fewestWords || bytesOf.some(([known]) => known.test(start))) return false;
  return isBase64(start) && /^[\t\n\r\x20-\x7e]+$/.test(atob(start.slice(0, start.length - (start.length % 4))));
}

/** Characters: fewer may be a picture by chance. */
const fewestWords = 8;

const dataOf = (url: string): string | undefined => /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text);

export const mediaTypes: RuleCheck<"media-types"> = (view, _, { report }) => {
  for (const { file, path } of filesOf(view)) {
    const type = meantType(file);
    if (type === undefined) continue;
    const { mediaType = "" } = file;
    report([...path, "mediaType"], `is \`${mediaType}\` for a picture of the type \`${type}\`. Say that.`, {
      type: mediaType,
      meant: type,
    });
  }
};

/** What a document is to be called that comes by its data and has no name: always the same for its type. */
export function missingName(file: FilePart, { types: named }: RuleTable["documents-named"]): string | undefined {
  const type = mediaTypeOf(file) ?? "application/octet-stream"; // as data without a type goes out
  const isNamed = kindOf(file) !== "data" || (file.name ?? "") !== "";
  if (isNamed || !named.some(each => isOf(type, each))) return undefined;
  const extension = Object.keys(types).find(each => types[each] === type);
  return extension === undefined ? "document" : `document.${extension}`;
}

export const documentsNamed: RuleCheck<"documents-named"> = (view, rule, { report }) => {
  for (const { file, path } of filesOf(view)) {
    const name = missingName(file, rule);
    if (name !== undefined)
      report(path, `is a document without a name, which is asked for. Give it one (\`${name}\`).`);
  }
};

export const documentsIntroduced: RuleCheck<"documents-introduced"> = (view, _, { report }) => {
  for (const index of view.sent) {
    const { parts = [], role } = view.conversation.messages[index] ?? {};
    const said = parts.flatMap((part, place) => saidIn(part, ["messages", index, "parts", place]));
    const found = said.find(({ part }) => part.type === "file" && isDocument(part));
    if (!found || role === "assistant" || said.some(({ part }) => part.type === "text")) continue;
    report(found.path, "is a document in a message without text. Say in words what it is.");
  }
};

const isDocument = (file: FilePart): boolean => !/^(?:image|audio|video)$/.test(mediumOf(file));

/** Media of one message that are too many or too large. */
export function oversized(view: View, limits: NonNullable<RuleTable["sizes"]["media"]>, report: RuleReport): void {
  for (const index of view.sent) {
    const counts = new Map<Medium, number>();
    view.conversation.messages[index]?.parts.forEach((part, place) => {
      if (part.type !== "file") return;
      const medium = mediumOf(part);
      const { count: most, bytes: largest } = limits[medium] ?? {};
      const count = (counts.get(medium) ?? 0) + 1;
      counts.set(medium, count);
      const path = ["messages", index, "parts", place];
      const size = "data" in part.source ? Math.floor((part.source.data.length * 3) / 4) : 0;
      if (largest !== undefined && size > largest)
        report(path, `has ${size} bytes, of at most ${largest} for such a file (${medium}). Send a smaller one.`);
      if (most !== undefined && count > most)
        report(path, `is number ${count} of its kind (${medium}) in the message, of at most ${most}. Leave some out.`);
    });
  }
}

export const failedResults: RuleCheck<"failed-results"> = (view, { parts: allowed }, { report }) => {
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) {
      if (part.type !== "tool-result" || part.outcome === undefined) continue;
      part.output?.forEach((inner, index) => {
        if (allowed.includes(inner.type)) return;
        report(
          [...path, "output", index],
          `is a ${inner.type} in a result that failed, which holds only ${allowed.join(", ")}. Move it behind the results.`,
          { id: part.callId, type: inner.type },
        );
      });
    }
  }
};
