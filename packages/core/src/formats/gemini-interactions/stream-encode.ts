import { tellPart } from "../../blocks/spelling.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { envelopeOf, reportHeads } from "./answer.ts";
import { writeError } from "./contents.ts";
import { canJoin, SentPart } from "./sent-step.ts";
import { groupOf } from "./steps.ts";
import { family, routeOf, type WriteScope } from "./wire.ts";
import { isOfStep } from "./write-steps.ts";

/**
 * Events → stream events. Steps say their index, so what comes beside something else never waits; texts, thoughts and
 * arguments pass on as they come, everything else when it is whole.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> =>
  new EventWriter({ ...context, shape: "stream" });

/** A message, and what is out of it. */
interface Sent {
  readonly number: number;
  head: MessageHead;
  isEnded: boolean;
  readonly parts: Map<number, SentPart>;
  /** Errors of the answer, which are no steps. */
  readonly errors: Map<number, PartOf<"error">>;
  /** The highest number of the parts that have a step, and of all. */
  entered: number;
  latest: number;
}

class EventWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #scope: WriteScope;
  readonly #messages = new Map<number, Sent>();
  readonly #calls = new Map<string, SentPart>();
  readonly #named = new Set<string>();
  /** A step of contents that is complete, and could take a file or go on behind one. */
  #idle: SentPart | undefined;
  /** Index of the next step. */
  #index = 0;
  /** The message of the last step. */
  #side: Sent | undefined;
  readonly #joined = new Set<number>();
  #error: PartOf<"error"> | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#scope = {
      recipient: context.recipient,
      form: "answer",
      route: routeOf(context.dialect),
      callOf: ({ callId }) => {
        const call = this.#calls.get(callId)?.part;
        return call?.type === "tool-call" ? call : undefined;
      },
      named: this.#named,
      lose: (code, path, detail) => context.lose(code, path, detail),
    };
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") {
      const { message, code } = event.error;
      this.#error = { type: "error", message, ...(code !== undefined && { code }) };
      return [];
    }
    if (event.type === "message-start") return this.#start(event.message, event.head);
    const sent = this.#messages.get(event.message);
    if (!sent) return [];
    switch (event.type) {
      case "message-set":
        sent.head = mergeMembers(sent.head, event.set);
        return [];
      case "message-end":
        sent.isEnded = true;
        return isCut(sent) ? [] : this.#endMessage(sent);
      case "part-start":
      case "part":
        return this.#part(sent, event);
      default:
        return this.#partEvent(sent.parts.get(event.part), event);
    }
  }

  #partEvent(part: SentPart | undefined, event: Event): Json[] {
    if (!part || part.isDone) {
      if (part && event.type === "part-set") part.set(event.set);
      if (part && event.type === "citation") part.cite(event.citation);
      return [];
    }
    switch (event.type) {
      case "part-delta":
        part.delta(event.text);
        return this.#advance(part);
      case "citation":
        part.cite(event.citation);
        return [];
      case "part-set":
        part.set(event.set);
        return [];
      case "part-end":
        part.end();
        return this.#advance(part);
      default:
        return [];
    }
  }

  #start(number: number, head: MessageHead): Json[] {
    const known = this.#messages.get(number);
    if (known) {
      // What is out stays; the new attempt follows it (E9).
      const isOut = [...known.parts.values()].some(({ index }) => index !== undefined);
      if (isOut) this.#context.lose("already-sent", ["messages", number]);
      const events = this.#stopAll(known);
      known.head = head;
      known.parts.clear();
      known.errors.clear();
      known.entered = -1;
      known.latest = -1;
      return events;
    }
    if (head.role !== "assistant" && head.role !== "tool" && head.role !== "user") {
      this.#context.lose("not-the-answer", ["messages", number]);
      return [];
    }
    const isFirst = this.#messages.size === 0;
    const sent = { number, head, isEnded: false, parts: new Map(), errors: new Map(), entered: -1, latest: -1 };
    this.#messages.set(number, sent);
    return isFirst ? [this.#announced(head)] : [];
  }

  /** The interaction as far as it is known at the beginning. */
  #announced(head: MessageHead): Json {
    const { finish: _, usage: __, ...begun } = head;
    const context = { ...this.#context, lose: () => undefined };
    const interaction = envelopeOf(begun, { steps: undefined, errors: [], parts: [], path: [], context });
    return { event_type: "interaction.created", interaction: { ...interaction, status: "in_progress" } };
  }

  /** Whatever of a message is open is over. */
  #stopAll(sent: Sent): Json[] {
    const events: Json[] = [];
    for (const part of sent.parts.values()) {
      if (part.isDone) continue;
      part.end();
      events.push(...this.#advance(part));
    }
    return [...events, ...this.#rest()];
  }

  /** The step that waited for more is over. */
  #rest(): Json[] {
    const idle = this.#idle;
    this.#idle = undefined;
    return idle?.index === undefined ? [] : [{ event_type: "step.stop", index: idle.index }];
  }

  #part(sent: Sent, { value, part: number, type }: Event & { readonly type: "part-start" | "part" }): Json[] {
    if (value.type === "error" && !isOfAStep(value)) {
      sent.errors.set(number, value);
      return [];
    }
    const known = sent.parts.get(number);
    if (known?.index !== undefined) {
      // Told again as a whole: what is out stays.
      this.#context.lose("already-sent", ["messages", sent.number, "parts", number]);
      if (known.isDone) return [];
      known.end();
      return this.#advance(known);
    }
    // Who answers a call is not known yet when it goes out.
    if (value.type === "tool-call" || value.type === "tool-result") this.#named.add(value.callId);
    sent.latest = Math.max(sent.latest, number);
    const part = new SentPart({ message: sent.number, part: number }, value, {
      isOpen: type === "part-start",
      scope: this.#scope,
    });
    sent.parts.set(number, part);
    if (value.type === "tool-call") this.#calls.set(value.callId, part);
    return this.#advance(part);
  }

  /** Sends what is new of a part. */
  #advance(part: SentPart): Json[] {
    const sent = this.#messages.get(part.message);
    if (!sent || part.isDone) return [];
    if (!part.isStreamed) return part.isOver ? this.#whole(sent, part) : [];
    const events: Json[] = [];
    const isCall = part.type === "tool-call";
    if (part.index === undefined && (isCall || part.hasUnsent || part.isOver)) events.push(...this.#begin(sent, part));
    if (part.index === undefined) return events;
    events.push(...part.flush());
    if (!part.isOver) return events;
    events.push(...part.finish(holderOf(sent.head)));
    return [...events, ...this.#leave(part)];
  }

  #begin(sent: Sent, part: SentPart): Json[] {
    const idle = this.#idle;
    if (idle && this.#joins(idle, part) && idle.type === "file") {
      this.#enter(sent, part);
      this.#idle = undefined;
      part.join(idle.index ?? 0, idle.announced);
      return [];
    }
    const stopped = this.#rest();
    const begun = part.begin(this.#index, holderOf(sent.head));
    if (!begun) {
      part.isDone = true;
      return stopped;
    }
    this.#index++;
    this.#enter(sent, part);
    return [...stopped, ...begun];
  }

  #whole(sent: Sent, part: SentPart): Json[] {
    tellPart(part.part, this.#context);
    const idle = this.#idle;
    if (idle && this.#joins(idle, part)) {
      const events = part.whole(idle.index ?? 0, holderOf(sent.head), true);
      if (part.index === undefined) return events;
      this.#enter(sent, part);
      this.#idle = part;
      return events;
    }
    const stopped = this.#rest();
    const events = part.whole(this.#index, holderOf(sent.head), false);
    if (part.index === undefined) return stopped;
    this.#enter(sent, part);
    this.#index++;
    return [...stopped, ...events, ...this.#leave(part)];
  }

  /** A part is over; its step may still take a file, or go on behind one. */
  #leave(part: SentPart): Json[] {
    const { part: value } = part;
    const isOpen = groupOf(value) === "output" || (groupOf(value) === "thought" && value.seal === undefined);
    if (!isOpen) return [{ event_type: "step.stop", index: part.index ?? 0 }];
    const events = this.#idle?.index === part.index ? [] : this.#rest();
    this.#idle = part;
    return events;
  }

  #joins(idle: SentPart, part: SentPart): boolean {
    const isNext = idle.message === part.message && idle.number < part.number;
    return isNext && canJoin(idle.part, part.part) && isOfStep(idle.part, part.part);
  }

  /** A part has got its step. */
  #enter(sent: Sent, part: SentPart): void {
    const { number } = part;
    if (number < sent.entered) this.#context.lose("order", ["messages", sent.number, "parts"]);
    sent.entered = Math.max(sent.entered, number);
    const last = this.#side;
    this.#side = sent;
    if (sideOf(part.part, sent.head) !== sent.head.role) this.#context.lose("split", ["messages", sent.number]);
    if (!last || last === sent) return;
    // Steps of one side that follow one another are one message, and those of others are between two of them.
    const isJoined = last.head.role === sent.head.role && sent.head.role !== "user";
    const isBack = [...sent.parts.values()].some(each => each !== part && each.index !== undefined);
    if (isJoined) for (const each of [last, sent]) this.#join(each.number);
    if (isBack) this.#context.lose("split", ["messages", sent.number]);
  }

  #join(number: number): void {
    if (this.#joined.has(number)) return;
    this.#joined.add(number);
    this.#context.lose("messages-joined", ["messages", number]);
  }

  #endMessage(sent: Sent): Json[] {
    const events: Json[] = [];
    for (const part of sent.parts.values()) {
      if (part.isOver || part.isDone) continue;
      this.#context.lose("open", ["messages", sent.number, "parts", part.number]);
      part.end();
      events.push(...this.#advance(part));
    }
    return [...events, ...this.#rest()];
  }

  end(): readonly Json[] {
    const all = [...this.#messages.values()];
    const last = all.at(-1);
    if (!last) return this.#error ? [this.#failure(this.#error)] : [];
    const events: Json[] = [];
    const isOver = last.isEnded && !isCut(last);
    if (isOver) for (const sent of all) events.push(...this.#endMessage(sent));
    this.#report(all);
    const { usage } = last.head;
    if (!isOver || this.#error) {
      // Made of a cut answer too: what its beginning had to make up is told by it.
      const counts = this.#counts(last, this.#error ? "failed" : "in_progress");
      if (usage) events.push(counts);
      if (this.#error) events.push(this.#failure(this.#error));
      return events;
    }
    const parts = all.flatMap(sent => [...sent.parts.values()].map(({ part }) => part));
    const errors = [...last.errors.values()].map(error => writeError(error, "string"));
    const path = ["messages", last.number];
    // What has no steps is not there to a reader, who takes what is said of it for the one before.
    const heir = last.entered < 0 ? all.findLast(sent => sent.entered >= 0) : undefined;
    if (heir) this.#context.lose("head", ["messages", heir.number]);
    const interaction = envelopeOf(last.head, { steps: undefined, errors, parts, path, context: this.#context });
    return [...events, { event_type: "interaction.completed", interaction }];
  }

  #failure(error: PartOf<"error">): Json {
    return { event_type: "error", error: writeError(error, "string") };
  }

  /** What was counted of an answer that has no end. */
  #counts({ head, number }: Sent, status: string): JsonObject {
    const about = { steps: undefined, errors: [], parts: [], path: ["messages", number], context: this.#context };
    const { id = "", usage = {} } = envelopeOf({ ...head, finish: { reason: "pending" } }, about);
    return { event_type: "interaction.status_update", interaction_id: id, status, usage };
  }

  #report(all: readonly Sent[]): void {
    const pathOf = (index: number): Path => ["messages", all[index]?.number ?? index];
    reportHeads(
      all.map(({ head }) => head),
      pathOf,
      this.#context,
    );
    const last = all.at(-1);
    for (const sent of all) {
      const { number, parts, errors, head } = sent;
      for (const [part, each] of parts) {
        if (each.isDone && each.isLate(holderOf(head)))
          this.#context.lose("already-sent", ["messages", number, "parts", part]);
      }
      const steps = [...parts.values()].filter(({ index }) => index !== undefined).length;
      const isSilent = all.length === 1 && parts.size === 0;
      if (steps === 0 && !isSilent && sent.isEnded) this.#context.lose("empty-message", ["messages", number]);
      const isCutOff = sent === last && (this.#error !== undefined || !sent.isEnded || isCut(sent));
      for (const part of errors.keys()) {
        const isLast = sent === last && part > sent.latest && !isCutOff;
        if (!isLast) this.#context.lose("error-place", ["messages", number, "parts", part]);
      }
    }
  }
}

/** The answer was cut before its end, as nothing tells how it ended. */
const isCut = ({ head: { finish } }: Sent): boolean => finish?.reason === "incomplete" && finish.raw === undefined;

const holderOf = ({ role }: MessageHead): string => (role === "user" ? "user_input" : "model_output");

/** The side that a part's step is read on. */
function sideOf(part: Part, { role }: MessageHead): string {
  if (part.type === "tool-result") return part.kind === undefined && role === "tool" ? "tool" : role;
  if (part.type === "tool-call" || part.type === "reasoning" || part.type === "opaque") return "assistant";
  return role === "user" ? "user" : "assistant";
}

const isOfAStep = (part: PartOf<"error">): boolean => hintsOf(part, family)["$in"] === "step";
