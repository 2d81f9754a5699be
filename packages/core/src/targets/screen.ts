/** One look at every part, for all rules: which of them may be broken. Nothing is made where nothing is wrong. */

import type { Conversation, Message, Tool } from "../model/conversation.ts";
import type { FilePart, Part, PartOf } from "../model/parts.ts";
import { isCallable, isObjectCall } from "./rules/arguments.ts";
import { areSuspect, isSuspect } from "./rules/cache-marks.ts";
import { hasEmptyMembers } from "./rules/known-members.ts";
import {
  allowedAt,
  isOfWords,
  isTakenSource,
  isTakenType,
  isUrlOfData,
  meantType,
  missingName,
} from "./rules/media.ts";
import { isOwnTool, isPacked, misspelled, repeatedTools, wireName } from "./rules/names.ts";
import { untoldOf } from "./rules/results-told.ts";
import { isContent, isSaid } from "./rules/said.ts";
import { areAtHome, isItemKnown, isSealed, isThinking } from "./rules/seals.ts";
import { hasWords, isEmptyText, isWellFormedPart, isWordless } from "./rules/texts.ts";
import { isContinued, isStored } from "./stored.ts";
import { inSummaries, ofDenials, ofFiles, ofMembers, pairing } from "./suspects.ts";
import type { Place, RuleName, Rules, Target } from "./target.ts";
import { isOneTurn, type Side, sideOf } from "./turns.ts";

/** What is asked of whom. */
export interface Screened {
  readonly target: Target;
  readonly rules: Rules;
  readonly model: string | undefined;
}

export interface Suspicion {
  /** Rules that may be broken: their own checks tell. All others are kept. */
  readonly rules: ReadonlySet<RuleName>;
  /** A call was cut off while it was written. */
  readonly hasCutCall: boolean;
}

/** @param sent indexes of what would be sent, in that order */
export function suspicionOf(conversation: Conversation, sent: readonly number[], asked: Screened): Suspicion {
  const screen = new Screen(conversation, asked);
  for (let place = 0; place < sent.length; place++) {
    const message = conversation.messages[sent[place] ?? -1];
    if (message) screen.message(message);
  }
  screen.end(sent.length);
  return { rules: screen.found, hasCutCall: screen.hasCutCall };
}

class Screen {
  readonly found = new Set<RuleName>();
  hasCutCall = false;
  readonly #conversation: Conversation;
  readonly #asked: Screened;
  readonly #isStored: boolean;
  #before: Message | undefined;
  #side: Side | undefined;
  /** Something that is not the system's was said. */
  #isBegun = false;
  /** How many calls of an id nothing answers yet. */
  readonly #open = new Map<string, number>();
  readonly #ids = new Set<string>();
  readonly #hostedIds = new Set<string>();
  readonly #items = new Set<string>();
  readonly #isContinued: boolean;
  readonly #names = new Set<string>();
  /** Marks of what is to be cached. */
  #marks: number;
  /** The last id that was looked at: results have that of their calls. */
  #id: string | undefined;
  #hasCalls = false;
  // Of the turn:
  #hasTool = false;
  #hasResult = false;
  #hasCall = false;
  #hasReasoning = false;
  #hasOther = false;
  #thinkers = 0;
  #messages = 0;
  /** What was said last is reasoning. */
  #isThought = false;
  #item: string | undefined;
  #hosted: string | undefined;
  // Since a person last said something:
  #isUnsealed = false;
  #isBare = false;

  constructor(conversation: Conversation, asked: Screened) {
    this.#conversation = conversation;
    this.#asked = asked;
    this.#isStored = isStored(conversation, asked.target);
    this.#isContinued = isContinued(conversation, asked.target);
    this.#marks = (conversation.tools ?? []).filter(({ cache }) => cache).length;
    this.#tools(conversation.tools ?? []);
  }

  #tools(tools: readonly Tool[]): void {
    const spelling = this.#asked.rules["tool-names"];
    if (!spelling || tools.length === 0) return;
    const { unique, hosted, family = this.#asked.target.format } = spelling;
    for (const tool of tools) if (isOwnTool(tool)) this.#name(wireName(tool, family));
    if (unique && repeatedTools(tools, { family, hosted }).length > 0) this.#suspect("tool-names");
  }

  #suspect(rule: RuleName): void {
    if (this.#asked.rules[rule]) this.found.add(rule);
  }

  message(message: Message): void {
    const side = sideOf(message);
    const before = this.#before;
    if (before === undefined || this.#side !== side || !isOneTurn(before, message, this.#asked.target))
      this.#turn(side);
    this.#head(message, side);
    let hasContent = false;
    let hasSealed = false;
    let isPerson = false;
    for (const part of message.parts) {
      this.#part(part, side);
      if (!isSaid(part)) continue;
      this.#isThought = part.type === "reasoning";
      hasContent ||= isContent(part);
      hasSealed ||= part.type === "reasoning" && part.seal !== undefined;
      isPerson ||= side === "user" && part.type !== "tool-result";
      this.#hasOther ||= !this.#isPaired(part, side);
    }
    if (!hasContent) this.#suspect("message-not-empty");
    if (side === "user" && this.#hasResult && this.#hasOther) this.#suspect("answer-after-results");
    if (hasSealed && ++this.#thinkers > 1) this.#suspect("reasoning-once");
    if (isPerson) {
      this.#isUnsealed = false;
      this.#isBare = false;
    }
    this.#before = message;
    if (side === "assistant" && ++this.#messages > 1) this.#suspect("calls-joined");
  }

  #head({ role, author, native }: Message, side: Side): void {
    const { rules } = this.#asked;
    if (rules.roles?.allowed.includes(role) === false) this.#suspect("roles");
    if (native !== undefined) for (const rule of ofMembers) this.#suspect(rule);
    if (author?.name !== undefined) this.#suspect("message-name");
    if (role === "tool") {
      if (this.#hasTool) this.#suspect("results-together");
      this.#hasTool = true;
    }
    if (side !== "system") {
      if (!this.#isBegun && rules["first-turn"]?.roles.includes(role) === false) this.#suspect("first-turn");
      this.#isBegun = true;
    } else if (this.#isBegun || rules["system-place"]?.allowed === "none") this.#suspect("system-place");
  }

  #turn(side: Side): void {
    this.#endTurn();
    if (this.#side === side) this.#suspect("turns-alternate");
    this.#messages = 0;
    if ((this.#hasTool || this.#hasResult) && side !== "assistant") this.#suspect("answer-after-results");
    if (this.#open.size > 0 && side !== "user") this.#unpaired();
    if (this.#side !== side) this.#thinkers = 0;
    this.#side = side;
    this.#hasTool = false;
    this.#hasResult = false;
    this.#hasCall = false;
    this.#hasReasoning = false;
    this.#hasOther = false;
  }

  #endTurn(): void {
    if (this.#side !== "assistant") {
      if (this.#open.size > 0) this.#unpaired();
      return;
    }
    if (this.#item !== undefined) this.#suspect("reasoning-followed");
    if (this.#isThought) this.#suspect("reasoning-not-last");
    if (this.#hosted !== undefined) this.#suspect("provider-calls-answered");
    this.#item = undefined;
    this.#hosted = undefined;
    if (this.#hasCall && !this.#hasReasoning) this.#isBare = true;
  }

  #unpaired(): void {
    for (const rule of pairing) this.#suspect(rule);
    this.#open.clear();
  }

  #part(part: Part, side: Side): void {
    const { rules, model } = this.#asked;
    if (rules["seals-at-home"] && !areAtHome(part, rules["seals-at-home"], model)) this.#suspect("seals-at-home");
    if (rules["well-formed-text"] && !isWellFormedPart(part)) this.#suspect("well-formed-text");
    if (part.cache !== undefined) this.#marks++;
    if (rules["cache-marks"] && isSuspect(part, rules["cache-marks"])) this.#suspect("cache-marks");
    if (side === "assistant") this.#answered(part);
    else if (part.type === "reasoning") this.#suspect("roles");
    else if (part.type === "compaction") this.#known(part); // an item of its own, whoever said it
    switch (part.type) {
      case "text":
      case "refusal":
        this.#text(part.text);
        break;
      case "tool-call":
        this.#call(part, side);
        break;
      case "tool-result":
        this.#result(part, side);
        break;
      case "file":
        this.#file(part, side);
        break;
      case "approval-request":
      case "approval-response":
        if (isPacked(part.callId ?? "")) this.#suspect("ids-unpacked");
        if (part.type === "approval-request") break;
        this.#suspect("approvals-asked");
        if (part.approved) break;
        this.#unpaired();
        for (const rule of ofDenials) this.#suspect(rule);
        break;
      case "opaque":
        this.#suspect("stored-items");
        this.#suspect("known-members");
        break;
      case "compaction":
        for (const inner of part.summary ?? []) {
          if (inner.type === "text") this.#text(inner.text);
          else for (const rule of inSummaries) this.#suspect(rule);
        }
        break;
      default:
        if (part.type === "change" && rules["tool-names"]?.defined) this.#suspect("tool-names");
    }
    if (part.native !== undefined) for (const rule of ofMembers) this.#suspect(rule);
  }

  /** Whether it is a call or result of its side, not something between them. */
  #isPaired(part: Part, side: Side): boolean {
    if (part.type === "tool-result") return side !== "assistant";
    return part.type === "tool-call" && part.executedBy !== "provider" && side === "assistant";
  }

  /** What the order and the ids of an assistant's parts say. */
  #answered(part: Part): void {
    const id = part.seal?.values["id"];
    if (part.type === "reasoning") {
      this.#hasReasoning = true;
      const sealed = this.#asked.rules["reasoning-sealed"];
      if (sealed && !isSealed(part, sealed)) this.#suspect("reasoning-sealed");
      if (this.#item !== undefined && this.#item !== id) this.#suspect("reasoning-followed");
      this.#item = id;
    } else this.#item = undefined;
    this.#known(part);
  }

  /** What the id of an item says. */
  #known(part: Part): void {
    const id = part.seal?.values["id"];
    if (id === undefined) return;
    const items = this.#asked.rules["item-ids"];
    if (items && !isItemKnown(part, items.stored && this.#isStored, items)) this.#suspect("item-ids");
    if (items && this.#items.has(id)) this.#suspect("item-ids");
    this.#items.add(id);
    if ((!this.#isStored || this.#isContinued) && part.type !== "reasoning") this.#suspect("stored-items");
  }

  #text(text: string): void {
    const first = text.charCodeAt(0);
    // Most texts begin with a word.
    if (!(first > 0x20 && first < 0x7f) && !hasWords(text)) this.#suspect("text-not-empty");
  }

  #call(part: PartOf<"tool-call">, side: Side): void {
    const { rules } = this.#asked;
    const { callId } = part;
    if (part.partial === true || (part.input === undefined && part.inputText !== undefined)) this.hasCutCall = true;
    if (part.executedBy === "provider") {
      if (side !== "assistant") this.#suspect("roles");
      if (isPacked(callId)) this.#suspect("ids-unpacked");
      if (this.#hosted !== undefined) this.#suspect("provider-calls-answered");
      // One that stands elsewhere is answered by nothing that the assistant says.
      if (side === "assistant") this.#hosted = callId;
      if (this.#open.has(callId) || this.#ids.has(callId)) this.#suspect("call-ids-unique");
      this.#hostedIds.add(callId);
      return;
    }
    this.#hasCalls = true;
    this.#callId(callId);
    if (side !== "assistant") {
      this.#suspect("roles");
      return;
    }
    if (isOwnTool(part)) this.#name(part.name);
    if (rules.arguments?.shape === "object" && !isObjectCall(part)) this.#suspect("arguments");
    const unique = rules["call-ids-unique"];
    if (unique && (this.#open.has(callId) || this.#ids.has(callId) || this.#hostedIds.has(callId)))
      this.#suspect("call-ids-unique");
    if (unique) this.#ids.add(callId);
    if (this.#hasCall && this.#hasOther) this.#suspect("calls-together");
    if (!this.#hasCall && part.seal?.maker !== rules["calls-sealed"]?.maker) this.#isUnsealed = true;
    this.#hasCall = true;
    this.#hasOther = false;
    this.#open.set(callId, (this.#open.get(callId) ?? 0) + 1);
  }

  #result(part: PartOf<"tool-result">, side: Side): void {
    const { rules } = this.#asked;
    const { callId, outcome, output } = part;
    this.#hasCalls = true;
    if (part.kind === "custom" || part.native !== undefined) this.#suspect("results-of-kind");
    if (rules["results-told"] && untoldOf(part, rules["results-told"]) !== undefined) this.#suspect("results-told");
    const failed = rules["failed-results"]?.parts;
    for (const inner of output ?? []) {
      if (inner.type === "file" && part.kind === undefined) this.#file(inner, "result");
      else if (isEmptyText(inner) || isWordless(inner)) this.#suspect("text-not-empty");
      else if (inner.type === "tool-result") for (const rule of ofFiles) this.#suspect(rule);
      if (outcome !== undefined && failed?.includes(inner.type) === false) this.#suspect("failed-results");
    }
    if (side === "assistant") {
      if (part.preliminary) this.#suspect("results-final");
      if (isPacked(callId)) this.#suspect("ids-unpacked");
      if (callId === this.#hosted) this.#hosted = undefined;
      else this.#suspect("results-called");
      return;
    }
    if (side === "system") this.#suspect("roles");
    else this.#hasResult = true;
    this.#callId(callId);
    if (this.#hasOther && side === "user") this.#suspect("results-first");
    if (part.preliminary) {
      this.#suspect("results-final");
      return;
    }
    const open = this.#open.get(callId) ?? 0;
    if (open === 0) this.#unpaired();
    else if (open > 1) this.#open.set(callId, open - 1);
    else this.#open.delete(callId);
  }

  #callId(id: string): void {
    if (isPacked(id)) this.#suspect("ids-unpacked");
    const spelling = this.#asked.rules["call-ids"];
    if (!spelling || id === this.#id || id.startsWith("~")) return;
    if (misspelled(id, spelling) === undefined) this.#id = id;
    else this.#suspect("call-ids");
  }

  #name(name: string): void {
    const spelling = this.#asked.rules["tool-names"];
    if (!spelling || this.#names.has(name)) return;
    if (misspelled(name, spelling) === undefined) this.#names.add(name);
    else this.#suspect("tool-names");
  }

  #file(file: FilePart, place: Place): void {
    const { rules } = this.#asked;
    if (isUrlOfData(file)) this.#suspect("media-data");
    if (rules["media-types"] && meantType(file) !== undefined) this.#suspect("media-types");
    if ("parts" in file.source || ("text" in file.source && !hasWords(file.source.text)))
      this.#suspect("text-not-empty");
    const allowed = rules.media && allowedAt(rules.media, place);
    if (isOfWords(file) || (allowed && !isTakenType(file, allowed))) this.#suspect("media");
    if (place !== "result") this.#suspect("documents-introduced");
    const documents = rules["documents-named"];
    if (documents && missingName(file, documents) !== undefined) this.#suspect("documents-named");
    if (this.#asked.rules.sizes?.media) this.#suspect("sizes");
    const name = place === "result" ? "result-media-source" : "media-source";
    const sources = rules[name];
    if (sources && !isTakenSource(file, sources)) this.#suspect(name);
    if (place === "assistant") this.#suspect("assistant-media-source");
  }

  end(count: number): void {
    this.#endTurn();
    if (this.#open.size > 0) this.#unpaired();
    const { rules, target } = this.#asked;
    const { tools } = this.#conversation;
    if (this.#side === "assistant") {
      this.#suspect("prefill-trimmed");
      const isOn = rules["last-turn"]?.thinking === "never" && isThinking(this.#conversation, target);
      if (rules["last-turn"]?.prefill !== "always" || isOn) this.#suspect("last-turn");
    }
    if (this.#conversation.native !== undefined || hasEmptyMembers(tools)) this.#suspect("known-members");
    if (!this.#isBegun) this.#suspect("history-not-empty");
    if (this.#isUnsealed) this.#suspect("calls-sealed");
    if (this.#isBare) this.#suspect("reasoning-kept");
    if (rules["reasoning-first"] && isThinking(this.#conversation, target)) this.#suspect("reasoning-first");
    if (this.#hasCalls && !tools?.some(isCallable)) this.#suspect("tools-declared");
    const { settings } = this.#conversation;
    if (settings?.toolChoice !== undefined || settings?.parallelToolCalls !== undefined) this.#suspect("tool-choice");
    if (settings?.reasoning !== undefined) this.#suspect("thinking-settings");
    if (settings !== undefined) this.#suspect("setting-ranges");
    if (rules["cache-marks"] && areSuspect(this.#conversation, this.#marks, rules["cache-marks"], target))
      this.#suspect("cache-marks");
    const { sizes } = rules;
    const isMany =
      count > (sizes?.messages ?? count) || (tools?.length ?? 0) > (sizes?.tools ?? Number.POSITIVE_INFINITY);
    if (isMany || sizes?.textCharacters !== undefined) this.#suspect("sizes");
  }
}
