import type { SettingRanges } from "../codec/setting-ranges.ts";
import type { Role } from "../model/conversation.ts";
import type { PartType } from "../model/parts.ts";

/** Where a rule was learned: a page, a report, or requests that were accepted and refused. `date`: when (ISO 8601). */
export interface Learned {
  readonly source: string;
  readonly date: string;
  /**
   * What the provider answers to a request that breaks the rule, with `{name}` for what it fills in. The first that can be
   * filled is shown with an issue; `explain` knows an error by any of them.
   */
  readonly says?: readonly string[];
  /** Absent = error: the provider refuses. warning: it is taken, but something is lost or goes wrong. */
  readonly severity?: "warning";
}

/** Ids or names: what they are made of, and how long they may be, in UTF-16 units. */
export interface Spelling {
  /** Of one character, as the inside of a character class: `a-zA-Z0-9_-`. Absent = any. */
  readonly characters?: string;
  /** Of the first character, where that is narrower. */
  readonly first?: string;
  readonly most?: number;
  readonly fewest?: number;
}

export type Medium = "image" | "audio" | "video" | "document" | "text";
export type SourceKind = "url" | "data" | "id" | "text" | "parts";
/** `system` is as `user` where nothing is said of it. */
export type Place = "user" | "assistant" | "result" | "system";

/** A member of the provider's own format that a codec keeps as it is, and the provider refuses so. */
export interface RefusedMember {
  readonly of: "request" | "message" | "part";
  /** Whose it is. Default: the target's format. */
  readonly family?: string;
  readonly path: readonly string[];
  /** Refused with this value alone. Absent = with any. */
  readonly value?: string | null;
  /** How the wire calls it, where that is not its path. */
  readonly said?: string;
  /** Hints that say how it was spelled, and go with it. */
  readonly hints?: readonly string[];
  /** What is wrong and what to do: goes on after its name. */
  readonly why: string;
}

/** What a rule asks, by its name. A target has a row for each that it holds to; every rule is a module in `rules/`. */
export interface RuleTable {
  /** Calls have results: in the turn behind theirs, or anywhere before the end. */
  readonly "calls-answered": { readonly within: "next-turn" | "before-answer" };
  /** Calls that the provider runs have their results behind them, in its own turns. */
  readonly "provider-calls-answered": Record<never, never>;
  /** Results have calls: in the turn before theirs, or in any before it. */
  readonly "results-called": { readonly among: "turn-before" | "anywhere" };
  readonly "results-once": Record<never, never>;
  /** A person's answer to a request of the provider's own has that request before it. */
  readonly "approvals-asked": Record<never, never>;
  /** A result that a later one replaces is not sent. */
  readonly "results-final": Record<never, never>;
  /** In their turn results stand before anything else; `messages`: in one message they may be mixed. */
  readonly "results-first": { readonly among?: "messages" };
  /** A result is of the kind of its call: a custom tool's, or a function's, as the hint says of how it was spelled. */
  readonly "results-of-kind": { readonly hint: string; readonly functions: string };
  /** A step that calls is one message, with all that is said in it. */
  readonly "calls-joined": Record<never, never>;
  /**
   * What is chosen is among the tools. `free`: is taken without any. `functions`: those that the provider runs itself are none.
   * `parallel`: how many calls may come at once is not told without tools either. `stored`: members of a request that bring tools.
   */
  readonly "tool-choice": {
    readonly free?: readonly ("auto" | "none")[];
    readonly functions?: true;
    readonly parallel?: true;
    readonly stored?: readonly string[];
  };
  /** While thinking is on: the smallest budget, and settings that are not told beside it. */
  readonly "thinking-settings": {
    readonly fewest: number;
    readonly without: readonly ("temperature" | "topK" | "topP")[];
  };
  /** Numbers lie between these, and lists have at most so many entries. */
  readonly "setting-ranges": { readonly within: SettingRanges };
  /**
   * So many places may be marked to be cached, in tools, system and messages together. `automatic`: the member of a request that
   * marks its last place. Types of parts whose marks are written: `parts` in messages, `inner` in results and documents.
   */
  readonly "cache-marks": {
    readonly most: number;
    readonly automatic: string;
    readonly parts: readonly PartType[];
    readonly inner: readonly PartType[];
    /** The member by which the wire marks: of which type, and whose. A codec keeps marks of other types as they are. */
    readonly mark: { readonly family: string; readonly member: string; readonly type: string };
    /** For how long, the longest first: none stands behind a shorter one. The last is that of marks that do not say. */
    readonly ttls: readonly [string, ...string[]];
  };
  /** Data is base64, no URL that holds it. */
  readonly "media-data": Record<never, never>;
  /** A picture is said to be of the type that its first bytes are of, as that type is registered. */
  readonly "media-types": Record<never, never>;
  /** Results of one step are one message. */
  readonly "results-together": Record<never, never>;
  /** Calls of one step stand together, with nothing of the assistant's between them. */
  readonly "calls-together": Record<never, never>;
  readonly "first-turn": { readonly roles: readonly Role[] };
  /**
   * `prefill`: an assistant's last turn is gone on with; never, where its member `mark` says so, or always. `hosted`: one in which a call
   * that the provider runs has no result yet is gone on with too. `thinking`: none is gone on with while thinking is on, but one that
   * begins with it.
   */
  readonly "last-turn": {
    readonly prefill: "never" | "marked" | "always";
    readonly mark?: string;
    readonly hosted?: "go-on";
    readonly thinking?: "never";
  };
  readonly "turns-alternate": Record<never, never>;
  /** The turn after results is the assistant's. */
  readonly "answer-after-results": Record<never, never>;
  readonly "system-place": { readonly allowed: "anywhere" | "first" | "none" | "after-user" };
  readonly roles: { readonly allowed: readonly Role[] };
  /** `tools`: a list of them is not empty. `descriptions`: nor is a tool's. `typed`: a piece of this family says its type. */
  readonly "known-members": {
    readonly refused: readonly RefusedMember[];
    readonly tools?: "some";
    readonly descriptions?: "some";
    readonly typed?: string;
  };
  /** Messages have no names, or such names. */
  readonly "message-name": Spelling;
  /** Calls and results of the Chat API before tools (`function_call`, role `function`) are not sent so. */
  readonly "legacy-functions": { readonly spelled: readonly RefusedMember[] };
  /**
   * `blank`: white space alone counts as empty; `beside`: but is taken beside other content, everywhere or of the assistant's.
   * `sealed`: an empty one that has a seal is taken. `files`: a file by its text is one, and the blocks of a document are said one by
   * one. `system`: what stands apart may be an empty text. `results`: results hold no empty text either; white space they do.
   */
  readonly "text-not-empty": {
    readonly blank: boolean;
    readonly beside?: "allowed" | "assistants";
    readonly system?: "apart";
    readonly sealed?: "allowed";
    readonly files?: "texts";
    readonly results?: "texts";
  };
  /** Something is sent; `apart`: system text alone is nothing. `stored`: members of a request that name what is sent. */
  readonly "history-not-empty": { readonly system: "counts" | "apart"; readonly stored?: readonly string[] };
  /**
   * `texts`: empty ones count too, and the last message is asked as all. `bare`: roles of which empty texts alone count. `changes`:
   * what is told by a change of tools counts. `empty`: how the codec keeps an empty text in place of all, which is taken.
   */
  readonly "message-not-empty": {
    readonly empty?: Pick<RefusedMember, "path" | "value">;
    readonly roles: readonly Role[];
    readonly texts?: "count";
    readonly bare?: readonly Role[];
    readonly changes?: readonly ("toolsAdded" | "toolsRemoved")[];
  };
  /** The last turn does not end in white space where it is an assistant's. */
  readonly "prefill-trimmed": Record<never, never>;
  readonly "well-formed-text": Record<never, never>;
  readonly "call-ids": Spelling;
  /** Nobody's seal is packed into an id. */
  readonly "ids-unpacked": Record<never, never>;
  readonly "call-ids-unique": { readonly among: "message" | "conversation" };
  /** `unique`: no two of the tools that whoever holds the conversation runs; `hosted`: nor of those and the provider's. `defined`: messages define tools too. `family`: whose hints tell a tool's name on the wire. Default: the target's format. */
  readonly "tool-names": Spelling & {
    readonly unique?: true;
    readonly hosted?: true;
    readonly defined?: true;
    readonly family?: string;
  };
  readonly arguments: { readonly shape: "object" | "any" };
  /** Media types by where they stand; a type is whole (`image/png`) or a family (`image/`). */
  readonly media: { readonly [place in Place]?: readonly string[] };
  /** Media that are named here are taken only so; in results, as the second says. */
  readonly "media-source": { readonly [medium in Medium]?: readonly SourceKind[] };
  readonly "result-media-source": { readonly [medium in Medium]?: readonly SourceKind[] };
  readonly "assistant-media-source": { readonly [medium in Medium]?: readonly SourceKind[] };
  /** Documents of these types have a name where they come by their data. */
  readonly "documents-named": { readonly types: readonly string[] };
  /** Beside documents a message has text. */
  readonly "documents-introduced": Record<never, never>;
  /** A file by URL must be there for the provider; no check without a network can tell. */
  readonly "media-reachable": Record<never, never>;
  /** A history with calls needs tools. `defined`: what its messages define is declared with them. */
  readonly "tools-declared": { readonly defined?: "declared" };
  /**
   * Seals of others are not sent; a seal with a route only where it is this one, `routed`: and none without it. `models`: nor those
   * that another model made.
   */
  readonly "seals-at-home": {
    readonly makers: readonly string[];
    readonly route?: string;
    readonly routed?: true;
    readonly models?: true;
  };
  /** The first call of a step in the current turn is sealed by `maker`; `standIn`: what it takes for a seal of a call that it did not make. */
  readonly "calls-sealed": { readonly maker: string; readonly standIn?: { readonly [name: string]: string } };
  /** An open tool loop begins with sealed reasoning while thinking is on. */
  readonly "reasoning-first": { readonly maker: string };
  /** The assistant's turn does not end in reasoning. */
  readonly "reasoning-not-last": Record<never, never>;
  /** Reasoning is followed by what it was made for. */
  readonly "reasoning-followed": Record<never, never>;
  /** Reasoning of this maker is sent with its calls while they are open; `member`: of a message of the wire, where it is empty. */
  readonly "reasoning-kept": { readonly member: string };
  /** A turn has the sealed reasoning of one answer. */
  readonly "reasoning-once": Record<never, never>;
  /** Reasoning without a seal is not sent; `by`: nor with one that has none of these values. */
  readonly "reasoning-sealed": { readonly by?: readonly string[] };
  /** Items are named by their ids only where the provider looks them up; `reference`: what such an item is called. */
  readonly "stored-items": { readonly reference: string; readonly reasoning: string };
  /**
   * What the ids of items begin with, by the type of the part or the kind of the call; `whole`: the value of a seal that holds
   * reasoning, so that it need not be stored.
   */
  readonly "item-ids": {
    readonly stored: boolean;
    readonly prefixes: { readonly [type: string]: string };
    readonly callPrefixes: { readonly [kind: string]: string };
    readonly whole: string;
  };
  readonly "failed-results": { readonly parts: readonly string[] };
  /** `failed`: a result that failed has words; `blocks`: any has at least a block. */
  readonly "results-told": { readonly failed?: true; readonly blocks?: true };
  /** `media`: of one message. */
  readonly sizes: {
    readonly messages?: number;
    readonly tools?: number;
    readonly textCharacters?: number;
    readonly media?: { readonly [medium in Medium]?: { readonly count?: number; readonly bytes?: number } };
  };
}

export type RuleName = keyof RuleTable;
export type Rules = { readonly [Name in RuleName]?: RuleTable[Name] & Learned };

/** What one endpoint takes. Data only: what a rule means is said in `rules/`. */
export interface Target {
  readonly id: string;
  readonly title: string;
  /** What the provider counts as one turn: neighbours of one side together (results are the user's), or each message. */
  readonly turns: "merged" | "messages";
  /** The format that it speaks, and the host's dialect of it. */
  readonly format: string;
  readonly dialect?: string;
  /** Whether system text at the front stands apart from the messages. */
  readonly system: "apart" | "among";
  /** What error texts count: messages, messages with one for each result, or items. */
  readonly counts: "messages" | "results" | "items";
  /** Members of a request by which it goes on with what the provider has stored: its calls may be there. */
  readonly continues?: readonly string[];
  /** What of a request's own members asks for thinking by a budget, beside the settings. */
  readonly thinking?: Pick<RefusedMember, "path" | "value" | "family">;
  /** The member of a request that is false where nothing of it is to be stored. */
  readonly stores?: string;
  /** The family that tells a compaction of the provider's own, which it takes back as it is. Absent = it takes none. */
  readonly compactions?: string;
  readonly rules: Rules;
  /** Families of models that ask for something else, laid over `rules` in this order; null = no such rule. */
  readonly models?: readonly {
    readonly match: RegExp;
    readonly rules: { readonly [Name in RuleName]?: Rules[Name] | null };
  }[];
}
