import { typeOfData } from "../../blocks/data-urls.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { fillAll, hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import { pairResults } from "../../model/pairing.ts";
import type { FilePart, PartOf } from "../../model/parts.ts";
import { idsToName, type Lose } from "./calls.ts";
import { envelopeMembers, family } from "./wire.ts";

/** What the encoding of one conversation shares. */
export interface Writing {
  readonly context: EncodeContext;
  readonly lose: Lose;
  /** Ids that the wire has to say. */
  readonly named: ReadonlySet<string>;
  /** The tool that a result is of. */
  nameOf(result: PartOf<"tool-result">): string | undefined;
}

export function writingOf(context: EncodeContext, messages: readonly Message[]): Writing {
  const pairs = pairResults(messages);
  const nameOf = (result: PartOf<"tool-result">): string | undefined =>
    result.name ?? (hintsOf(result, family)["$name"] === false ? undefined : pairs.get(result)?.name);
  const lose: Lose = (code, path, detail) => context.lose(code, path, detail);
  return { context, lose, named: idsToName(messages, nameOf), nameOf };
}

/** A wire message with what was kept beside its fields. */
export const finished = (fields: JsonObject, message: Message): JsonObject =>
  fillAll(fields, remainderOf(message, family, envelopeMembers));

/** Texts as the one that there is. `isBeside`: an empty one says nothing beside other things. */
export function joined(
  texts: readonly { readonly text: string; readonly path: Path }[],
  isBeside: boolean,
  context: EncodeContext,
): string | undefined {
  if (texts.length > 1) for (const { path } of texts) context.lose("text-joined", path);
  const [only] = texts;
  if (texts.length === 1 && only?.text === "" && isBeside) context.lose("empty-text", only.path);
  return only && texts.map(({ text }) => text).join("");
}

/** Pictures stand here as they are: no address, and no other medium. */
export function writeImage(file: FilePart, path: Path, context: EncodeContext): readonly string[] {
  const { source, mediaType } = file;
  if (!("data" in source) || source.data === "" || (mediaType !== undefined && !mediaType.startsWith("image/"))) {
    context.lose("media", path, mediaType);
    return [];
  }
  const read = typeOfData("image/*", source.data);
  if (read !== mediaType) context.lose("media-type", [...path, "mediaType"], read);
  return [source.data];
}
