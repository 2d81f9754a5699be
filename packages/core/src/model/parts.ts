import type { Tool } from "./conversation.ts";
import type { Json, JsonObject } from "./json.ts";

/** The parts of a message. The rules (R1–R27) are in docs/model.md; R1 stands behind all remainders: a spelling kept beside a value counts only while it still reads as that value. */

/** What every node may carry. Nodes: Conversation, Tool, Message, Part, Citation: everything a codec maps out of a wire array. */
export interface Node {
  /** By family of the wire node: members that have no field here, and `$hints` how a field was spelled. Never restates a field. */
  readonly native?: { readonly [family: string]: JsonObject };
  /** JSON pointer in this node → source text, where JS cannot write the value back: 1.0, 2^60, keys "10","2" in that order. */
  readonly exact?: { readonly [pointer: string]: string };
}

/** What only its maker can read. By maker, not by API: one Claude signature travels in Anthropic, Bedrock, OpenRouter and AI SDK formats. */
export interface Seal {
  /** anthropic, openai, google, … Absent = unknown: goes to nobody unless the caller names the origin. */
  readonly maker?: string;
  /** Model that made it; others refuse it. */
  readonly model?: string;
  /** Host, where it matters: vertex, ai-studio, azure, bedrock, openrouter. */
  readonly route?: string;
  /** Opaque values by the maker's own names: signature, data, encrypted_content, thoughtSignature, encrypted_index, id. One part can hold two (id + encrypted_content). */
  readonly values: { readonly [name: string]: string };
}

/** What every part may carry. */
export interface PartBase extends Node {
  /** The part's own id in its format or application (data, source, block, AG-UI message). A maker's item id is a seal, a call's id is callId. */
  readonly id?: string;
  readonly seal?: Seal;
  /** Cache breakpoint after this part. */
  readonly cache?: { readonly ttl?: string };
  /** Still being written, or cut off. */
  readonly partial?: true;
  /** ISO 8601, as written. */
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** Where something comes from. */
export interface Reference {
  readonly url?: string; // web
  readonly title?: string; // page or document, as shown
  readonly fileId?: string; // a provider's file
  readonly name?: string; // file name
}

/** One source, one range. Formats with several give several citations. */
export interface Citation extends Node, Reference {
  /** Range in this part's text: UTF-16 units, half open. Absent = the whole part. */
  readonly start?: number;
  readonly end?: number;
  /** The cited words of the source. */
  readonly quote?: string;
  /** Place in the source; `document` = its ordinal in the request. */
  readonly at?: {
    readonly unit: "char" | "page" | "block";
    readonly start?: number;
    readonly end?: number;
    readonly document?: number;
  };
  readonly seal?: Seal; // encrypted_index: sent back, or the citation is refused
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[]; // on the text they stand under; annotations of other parts are native
  /** Responses, Codex, Harmony; dropping it degrades the model. */
  readonly phase?: "commentary" | "final";
}

export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  /** Absent = hidden (redacted, encrypted). "" = shown and empty. One part a summary entry. */
  readonly text?: string;
  /** The text is a summary. */
  readonly summary?: true;
}

export interface RefusalPart extends PartBase {
  readonly type: "refusal"; // Chat and Responses resend it apart from text
  readonly text: string;
}

export type FileSource =
  | { readonly data: string } // base64, standard alphabet
  | { readonly url: string } // http, gs, s3; or a data: URL that is not base64
  | { readonly id: string; readonly provider?: string } // a provider's file
  | { readonly text: string } // a text document
  | { readonly parts: readonly Part[] }; // a document made of blocks

export interface FilePart extends PartBase {
  readonly type: "file";
  /** "image/*" where only the kind is known. Tells image, audio, video and document apart: there is no second kind field. */
  readonly mediaType?: string;
  readonly name?: string; // file name or document title (Bedrock demands one)
  readonly source: FileSource;
  /** Words of it: transcript of audio, extracted text of a document. */
  readonly text?: string;
  /** Image detail wanted (Chat, Responses, AI SDK, MAF). */
  readonly detail?: string;
  /** Made while thinking, no answer (Gemini thought images, AI SDK reasoning-file). */
  readonly reasoning?: true;
}

export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** Pairs call and result. Made ids begin with "~". */
  readonly callId: string;
  readonly name: string; // hosted tools: their usual name
  /** What the tool gets, in its own shape; a string for custom tools. Absent: nothing was given, or inputText does not parse. */
  readonly input?: Json;
  /** The text as sent, where it does not parse or is not JSON.stringify(input). */
  readonly inputText?: string;
  /** Absent = function. custom, mcp, web-search, web-fetch, file-search, code-interpreter, image-generation, computer, shell, apply-patch, tool-search, program, … */
  readonly kind?: string;
  /** Who runs it. Absent = whoever holds the conversation. */
  readonly executedBy?: "provider";
  /** Nobody needs to run it any more, result or not (MAF informationalOnly). */
  readonly handled?: true;
  /** callId of the call whose program made this call. */
  readonly caller?: string;
  /** MCP server. */
  readonly server?: string;
  /** For people (AI SDK, ACP, opencode, Gemini CLI). */
  readonly title?: string;
}

export interface ToolResultPart extends PartBase {
  readonly type: "tool-result";
  readonly callId: string;
  /** Gemini, Mistral, Ollama and LangChain want it here. */
  readonly name?: string;
  /** Where it is not the call's: a function result may answer a tool-search call. */
  readonly kind?: string;
  /** For the model. JSON is a data part. Absent = nothing sent. */
  readonly output?: readonly Part[];
  /** For programs: artifact, structuredContent, details, toolUseResult. */
  readonly structured?: Json;
  /** For people: diffs, terminals, rendered views. */
  readonly display?: readonly Part[];
  /** Absent = fine. */
  readonly outcome?: "error" | "denied" | "interrupted";
  /** A later result of the call replaces it. */
  readonly preliminary?: true;
}

export interface ApprovalRequestPart extends PartBase {
  readonly type: "approval-request";
  readonly requestId: string; // pairs with the response
  readonly callId: string; // what it is about
  /** The call held back, where the format keeps it inside the request (MAF, Responses MCP): it is then no part of its own until let through. */
  readonly call?: ToolCallPart;
  readonly reason?: string; // why it is asked
  /** No person need be asked (AI SDK isAutomatic, MAF requiresConfirmation false). */
  readonly automatic?: true;
  readonly options?: readonly { readonly id: string; readonly kind?: string; readonly label?: string }[]; // ACP, AG-UI: allow_once, reject_always, …
  readonly expiresAt?: string; // AG-UI interrupts
}

export interface ApprovalResponsePart extends PartBase {
  readonly type: "approval-response";
  readonly requestId: string;
  readonly callId?: string; // Responses does not say it
  readonly approved: boolean;
  readonly reason?: string; // goes to the model when denied
  readonly optionId?: string; // the option taken
  /** What was approved, where the format says it: edited by the person, or forged, if it is not the request's. */
  readonly call?: ToolCallPart;
}

export interface InputRequestPart extends PartBase {
  readonly type: "input-request";
  readonly requestId: string;
  readonly kind: "question" | "form" | "auth";
  readonly message?: string; // shown to the person
  readonly schema?: Json; // of the value wanted
  readonly url?: string; // where to sign in
  readonly callId?: string; // the call that waits for it
  readonly expiresAt?: string;
}

export interface InputResponsePart extends PartBase {
  readonly type: "input-response";
  readonly requestId: string;
  /** Absent = cancelled. */
  readonly value?: Json;
}

/** A thing found, or given to cite from: search hit, source-url, search_result. */
export interface SourcePart extends PartBase, Reference {
  readonly type: "source";
  readonly mediaType?: string; // AI SDK source-document has no other content
  /** Its content, where given. */
  readonly parts?: readonly Part[];
}

/** JSON of a tool's output, of the application (named), shared state, or an activity (plan, progress). Same kind, name and id: the later replaces the earlier. */
export interface DataPart extends PartBase {
  readonly type: "data";
  readonly name?: string; // the application's; absent in tool outputs
  readonly data: Json;
  readonly kind?: "state" | "activity"; // AG-UI, ADK, ACP plans: not the application's
  /** `data` is a JSON Patch on the last one of the same kind, name and id. */
  readonly patch?: true;
}

export interface ErrorPart extends PartBase {
  readonly type: "error"; // in a message (MAF, failed answers) or in a result (web_fetch)
  readonly message: string;
  readonly code?: string;
  readonly details?: string;
}

/** From here on something else holds: tool_addition, tool_reference, additional_tools, configuration_update, model_change, handoff. */
export interface ChangePart extends PartBase {
  readonly type: "change";
  readonly toolsAdded?: readonly (string | Tool)[]; // Anthropic names them, Responses defines them
  readonly toolsRemoved?: readonly string[];
  readonly model?: string; // pi, opencode
  readonly effort?: string; // configuration_update, pi
  readonly agent?: string; // handoff
}

/** Stands for the history before it: context(), R26. */
export interface CompactionPart extends PartBase {
  readonly type: "compaction";
  /** Absent = only its maker can read it (seal). */
  readonly summary?: readonly Part[];
  /** Head of the replaced history, where compaction began a new root; null = it is not here. Absent = this message's own ancestors. */
  readonly replaces?: string | null;
  /** Replaced messages that stay, in order, after the summary. */
  readonly keep?: readonly string[];
  readonly trigger?: string; // auto, manual
  readonly tokensBefore?: number; // pi, Claude Code, opencode show it
}

/** A native piece that we do not know: whole, and written back to its own family only. */
export interface OpaquePart extends PartBase {
  readonly type: "opaque";
  readonly family: string;
  readonly value: Json;
}

export type Part =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | ApprovalRequestPart
  | ApprovalResponsePart
  | InputRequestPart
  | InputResponsePart
  | SourcePart
  | DataPart
  | ErrorPart
  | ChangePart
  | CompactionPart
  | OpaquePart;

export type PartType = Part["type"];
export type PartOf<T extends PartType> = Extract<Part, { readonly type: T }>;
