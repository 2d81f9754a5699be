import {
  type Conversation,
  encode,
  type FormatRef,
  formats,
  type Issue,
  isError,
  type Json,
  type Loss,
  type Shape,
  stringifyJson,
} from "translogue";
import { targets } from "translogue/targets";
import { canonical } from "../../panel/canonical.ts";
import { conversionOf, formatOptions } from "../../panel/conversion.ts";
import { factsOf } from "./facts.ts";
import { issueGroups, type Mended, mended } from "./issues.ts";
import { indexJson, type JsonIndex } from "./json-index.ts";
import { LossLight } from "./loss-light.ts";
import { namesOf, type Outline, outlineOf } from "./nodes.ts";
import { placesOf, type Spans } from "./places.ts";
import { problemOf, Unreadable } from "./problem.ts";
import type { Offer, Opened, Questions, Written } from "./protocol.ts";
import { type Phase, type Reading, readAny } from "./read.ts";
import { rowsOf } from "./rows.ts";
import { StreamPlayer, streamRows } from "./stream-player.ts";
import { placesInStream } from "./stream-reading.ts";

/** The conversation as it is now: as it was read, or after repairs. */
interface Version {
  readonly conversation: Conversation;
  readonly outline: readonly Outline[];
  readonly names: ReadonlyMap<string, number>;
  readonly opened: Opened;
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
}

/** All that the room has done for it, beside the page. One conversation at a time. */
export class Work {
  #reading: Reading | undefined;
  #versions: Version[] = [];
  #player: StreamPlayer | undefined;

  readonly offer = (): Offer => ({
    formats: formats.map(({ id, title, dialects }) => ({ id, title, dialects })),
    outputs: formatOptions,
    targets: targets.map(({ id, title, format, dialect }) => ({
      ...{ id, title, format },
      ...(dialect !== undefined && { dialect }),
    })),
  });

  /** Throws `Unreadable` with what a person is told. */
  open({ text, asked }: Questions["open"]["ask"], report: (phase: Phase) => void = () => {}): Opened {
    let reading: Reading;
    try {
      reading = readAny(text, asked, report);
    } catch (error) {
      throw new Unreadable(problemOf(error, text));
    }
    report("placing");
    const outline = outlineOf(reading.conversation);
    const version = versionOf(reading, { outline, places: placesOfReading(reading, outline) });
    this.#reading = reading;
    this.#versions = [version];
    this.#player = reading.stream && new StreamPlayer(reading.stream);
    return version.opened;
  }

  issues({ target, model }: Questions["issues"]["ask"]): ReturnType<typeof issueGroups> {
    return issueGroups(this.#now, target, model);
  }

  repair({ target, model, rule }: Questions["repair"]["ask"]): Opened {
    const { conversation, changes } = mended(this.#now.conversation, { target, model, rule });
    if (changes.length > 0) this.#versions.push(this.#rewritten(conversation, changes));
    return this.#now.opened;
  }

  undo(): Opened {
    if (this.#versions.length > 1) this.#versions.pop();
    return this.#now.opened;
  }

  write({ ref, recipient, carry }: Questions["write"]["ask"]): Written {
    const { conversation, outline, names, opened } = this.#now;
    const options = { recipient, ...(recipient !== "provider" && { carry }) };
    const conversion = conversionOf(conversation, ref, options);
    if ("problem" in conversion) return conversion;
    const { text, losses } = conversion;
    const index = indexJson(text);
    const places = ref === canonical ? exactPlaces(outline, index) : placesOf(outline, index);
    const light = new LossLight(outline, names, [
      { text: opened.text, places: opened.rows.map(({ spans }) => spans) },
      { text, places },
    ]);
    return { text, places, groups: losses.map(group => ({ ...group, lit: group.losses.map(loss => light.of(loss)) })) };
  }

  facts(): ReturnType<typeof factsOf> {
    const { conversation, names, opened } = this.#now;
    return factsOf(conversation, names, opened.text.length);
  }

  node({ row }: Questions["node"]["ask"]): Json {
    const node: unknown = this.#now.outline[row]?.node ?? null;
    return node as Json; // nodes are JSON
  }

  after({ events }: Questions["after"]["ask"]): Questions["after"]["answer"] {
    return this.#player?.after(events) ?? [];
  }

  get #now(): Version {
    const version = this.#versions.at(-1);
    if (!version) throw new Unreadable({ code: "empty", message: "" });
    return version;
  }

  /** The text of a conversation that was repaired is written anew, in the format that it came in. */
  #rewritten(conversation: Conversation, changes: readonly Mended[]): Version {
    const reading = this.#reading;
    if (!reading) throw new Unreadable({ code: "empty", message: "" });
    const text = textOf(conversation, reading);
    const index = indexJson(text);
    const outline = outlineOf(conversation);
    const places =
      text.startsWith(ours) || reading.format === canonical ? exactPlaces(outline, index) : placesOf(outline, index);
    const { stream: _, ...rest } = reading;
    const next = { ...rest, text, isTidy: true, conversation, issues: [], losses: [] };
    return versionOf(next, { outline, places }, { changes, repairs: this.#versions.length });
  }
}

interface Placed {
  readonly outline: readonly Outline[];
  readonly places: readonly Spans[];
}

function versionOf(
  reading: Reading,
  { outline, places }: Placed,
  done: Pick<Opened, "changes" | "repairs"> = { changes: [], repairs: 0 },
): Version {
  const { conversation, issues, losses, stream, dialect } = reading;
  const { text, isTidy, container, format, shape, values, value, candidates } = reading;
  const { model } = conversation;
  const opened: Opened = {
    ...{ text, isTidy, container, format, shape, values, value, candidates },
    ...done,
    rows: rowsOf(outline, places),
    ...(dialect !== undefined && { dialect }),
    ...(model !== undefined && { model }),
    ...(stream && { stream: streamRows(stream) }),
  };
  return { conversation, outline, names: namesOf(outline), opened, issues, losses };
}

function placesOfReading({ stream, index, format }: Reading, outline: readonly Outline[]): readonly Spans[] {
  if (stream) return placesInStream(stream, outline);
  if (!index) return outline.map(() => []);
  return format === canonical ? exactPlaces(outline, index) : placesOf(outline, index);
}

/** In our own form a node stands at its path. */
const exactPlaces = (outline: readonly Outline[], index: JsonIndex): readonly Spans[] =>
  outline.map(({ path }) => {
    const id = index.find(path);
    return [index.starts[id] ?? 0, index.ends[id] ?? 0];
  });

const ours = '{\n  "messages"';

/** In the format and shape that it came in; what that cannot be written as comes in our own form. */
function textOf(conversation: Conversation, { format, dialect, shape }: Reading): string {
  if (format !== canonical) {
    const to = (dialect === undefined ? format : `${format}:${dialect}`) as FormatRef; // it was read as it
    for (const as of [shape, undefined] satisfies (Shape | undefined)[]) {
      try {
        const written = encode(conversation, { to, recipient: "client", carry: false, ...(as && { shape: as }) });
        return stringifyJson(written.value, written.exact, 2) ?? "";
      } catch (error) {
        if (!isError(error)) throw error;
      }
    }
  }
  return stringifyJson(conversation, undefined, 2) ?? "";
}
