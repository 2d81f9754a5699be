/** Every member of every part. */

import type { Conversation, Message, Settings, Tool, Usage } from "./conversation.ts";
import type { Citation, FileSource, Node, Part, PartBase, PartOf, PartType, Reference, Seal } from "./parts.ts";
import {
  base64,
  boolean,
  count,
  isoDate,
  json,
  list,
  literalTrue,
  type MembersOf,
  may,
  must,
  nothing,
  object,
  oneOf,
  record,
  type ShapeOf,
  string,
  union,
} from "./shape.ts";

interface Named {
  readonly Conversation: Conversation;
  readonly Message: Message;
  readonly Part: Part;
  readonly ToolCallPart: PartOf<"tool-call">;
  readonly Citation: Citation;
  readonly Tool: Tool;
  readonly Settings: Settings;
  readonly Usage: Usage;
  readonly Seal: Seal;
}
export const ref = <Name extends keyof Named>(to: Name): ShapeOf<Named[Name]> => ({ kind: "ref", to });

export const parts: ShapeOf<readonly Part[]> = list(ref("Part"));
export const cache: ShapeOf<NonNullable<PartBase["cache"]>> = object<NonNullable<PartBase["cache"]>>({
  ttl: may(string, "How long it should live, in the provider's words: `5m`, `1h`."),
});

export const nodeMembers = {
  native: may(
    record(record(json)),
    "Members without a field, by family of the wire node; a key `$…` says how a field was spelled, `$$…` holds what has no member of its own (R2).",
  ),
  exact: may(
    record(string),
    "JSON pointer in this node → its source text, where JavaScript cannot write the value back (R6).",
  ),
} satisfies MembersOf<Node>;

export const partMembers = {
  id: may(
    string,
    "The part's own id in its format or application; a call's id is `callId`, a maker's item id is in the seal.",
  ),
  seal: may(ref("Seal"), "What only its maker can read (R11–R14)."),
  cache: may(cache, "Cache breakpoint after this part."),
  partial: may(literalTrue, "Still being written, or cut off (R25)."),
  startedAt: may(isoDate, "ISO 8601, as written."),
  endedAt: may(isoDate, "ISO 8601, as written."),
  ...nodeMembers,
} satisfies MembersOf<PartBase>;

export const referenceMembers = {
  url: may(string, "Address on the web."),
  title: may(string, "Title of the page or document, as shown."),
  fileId: may(string, "Id of a provider's file."),
  name: may(string, "File name."),
} satisfies MembersOf<Reference>;

const type = <const T extends PartType>(name: T) => must(oneOf(name), "Which part it is.");

const source = union(
  object<Extract<FileSource, { data: string }>>({
    data: must(base64, "The bytes, in base64 of the standard alphabet."),
  }),
  object<Extract<FileSource, { url: string }>>({
    url: must(string, "http, gs, s3; or a data: URL that is not base64."),
  }),
  object<Extract<FileSource, { id: string }>>({
    id: must(string, "Id of a provider's file."),
    provider: may(string, "The provider that holds it."),
  }),
  object<Extract<FileSource, { text: string }>>({ text: must(string, "A text document.") }),
  object<Extract<FileSource, { parts: readonly Part[] }>>({ parts: must(parts, "A document made of parts.") }),
);

export const partShapes = {
  text: {
    type: type("text"),
    text: must(string, "The text."),
    citations: may(list(ref("Citation")), "What its statements rest on: on the text they stand under."),
    phase: may(
      oneOf("commentary", "final"),
      "Said on the way, or the answer; a model that told them apart degrades without it.",
    ),
    ...partMembers,
  },
  reasoning: {
    type: type("reasoning"),
    text: may(string, 'Absent = hidden (redacted, encrypted); `""` = shown and empty. One part a summary entry.'),
    summary: may(literalTrue, "The text is a summary."),
    ...partMembers,
  },
  refusal: {
    type: type("refusal"),
    text: must(string, "What the model said as it refused; sent back apart from text."),
    ...partMembers,
  },
  file: {
    type: type("file"),
    mediaType: may(string, "Tells image, audio, video and document apart; `image/*` where only the kind is known."),
    name: may(string, "File name or document title."),
    source: must(source, "Where the content is: exactly one of `data`, `url`, `id`, `text`, `parts`."),
    text: may(string, "Words of it: the transcript of audio, the extracted text of a document."),
    detail: may(string, "Image detail wanted: `low`, `high`, `auto`."),
    reasoning: may(literalTrue, "Made while thinking: no answer."),
    ...partMembers,
  },
  "tool-call": {
    type: type("tool-call"),
    callId: must(string, "Pairs call and result (R9). Made ids begin with `~` (R8)."),
    name: must(string, "The tool; hosted tools by their usual name."),
    input: may(
      json,
      "What the tool gets, in its own shape; a string for custom tools. Absent: nothing was given, or `inputText` does not parse.",
    ),
    inputText: may(string, "The text as sent, where it does not parse or is not `JSON.stringify(input)` (R7)."),
    kind: may(string, "Absent = function. `custom`, `mcp`, `web-search`, `code-interpreter`, `computer`, `shell`, …"),
    executedBy: may(oneOf("provider"), "Who runs it. Absent = whoever holds the conversation (R20)."),
    handled: may(literalTrue, "Nobody needs to run it any more, result or not."),
    caller: may(string, "`callId` of the call whose program made this call."),
    server: may(string, "MCP server."),
    title: may(string, "For people."),
    ...partMembers,
  },
  "tool-result": {
    type: type("tool-result"),
    callId: must(string, "The call it answers (R9)."),
    name: may(string, "The tool, where the format says it here."),
    kind: may(string, "Where it is not the call's (R21)."),
    output: may(parts, "For the model; JSON is a data part. Absent = nothing sent."),
    structured: may(json, "For programs; never sent to a provider."),
    display: may(parts, "For people: diffs, terminals, rendered views; never sent to a provider."),
    outcome: may(oneOf("error", "denied", "interrupted"), "Absent = fine."),
    preliminary: may(literalTrue, "A later result of the call replaces it."),
    ...partMembers,
  },
  "approval-request": {
    type: type("approval-request"),
    requestId: must(string, "Pairs with the response."),
    callId: must(string, "The call it is about."),
    call: may(ref("ToolCallPart"), "The call held back, where the format keeps it inside the request (R22)."),
    reason: may(string, "Why it is asked."),
    automatic: may(literalTrue, "No person need be asked."),
    options: may(
      list(
        object<NonNullable<PartOf<"approval-request">["options"]>[number]>({
          id: must(string, "Named by the response's `optionId`."),
          kind: may(string, "`allow_once`, `reject_always`, …"),
          label: may(string, "For people."),
        }),
      ),
      "The answers to choose from.",
    ),
    expiresAt: may(isoDate, "ISO 8601, as written."),
    ...partMembers,
  },
  "approval-response": {
    type: type("approval-response"),
    requestId: must(string, "The request it answers."),
    callId: may(string, "The call it is about, where the format says it."),
    approved: must(boolean, "Whether the call may run."),
    reason: may(string, "Goes to the model when denied."),
    optionId: may(string, "The option taken."),
    call: may(
      ref("ToolCallPart"),
      "What was approved, where the format says it: edited or forged if it is not the request's (R22).",
    ),
    ...partMembers,
  },
  "input-request": {
    type: type("input-request"),
    requestId: must(string, "Pairs with the response."),
    kind: must(oneOf("question", "form", "auth"), "What is wanted of the person."),
    message: may(string, "Shown to the person."),
    schema: may(json, "JSON Schema of the value wanted."),
    url: may(string, "Where to sign in."),
    callId: may(string, "The call that waits for it."),
    expiresAt: may(isoDate, "ISO 8601, as written."),
    ...partMembers,
  },
  "input-response": {
    type: type("input-response"),
    requestId: must(string, "The request it answers."),
    value: may(json, "Absent = cancelled."),
    ...partMembers,
  },
  source: {
    type: type("source"),
    ...referenceMembers,
    mediaType: may(string, "Kind of its content."),
    parts: may(parts, "Its content, where given."),
    ...partMembers,
  },
  data: {
    type: type("data"),
    name: may(string, "The application's name for it; absent in tool outputs."),
    data: must(json, "Any JSON."),
    kind: may(oneOf("state", "activity"), "Shared state, or a plan or progress: not the application's own."),
    patch: may(literalTrue, "`data` is a JSON Patch on the last part of the same kind, name and id."),
    ...partMembers,
  },
  error: {
    type: type("error"),
    message: must(string, "What went wrong."),
    code: may(string, "The source's code for it."),
    details: may(string, "More, for those who look into it."),
    ...partMembers,
  },
  change: {
    type: type("change"),
    toolsAdded: may(list(union(string, ref("Tool"))), "Tools offered from here on: named, or defined."),
    toolsRemoved: may(list(string), "Names of tools no longer offered."),
    model: may(string, "The model from here on."),
    effort: may(string, "The reasoning effort from here on."),
    agent: may(string, "The agent that the conversation is handed to."),
    ...partMembers,
  },
  compaction: {
    type: type("compaction"),
    summary: may(parts, "Stands for the history before it (R26). Absent = only its maker can read it."),
    replaces: may(
      union(string, nothing),
      "Id of the head of the replaced history, where compaction began a new root; null = it is not in the conversation; absent = this message's own ancestors.",
    ),
    keep: may(list(string), "Ids of replaced messages that stay, in order, after the summary."),
    trigger: may(string, "`auto`, `manual`."),
    tokensBefore: may(count, "Tokens of the history before."),
    ...partMembers,
  },
  opaque: {
    type: type("opaque"),
    family: must(string, "The only family it is written back to."),
    value: must(json, "The native piece, whole."),
    ...partMembers,
  },
} satisfies { readonly [T in PartType]: MembersOf<PartOf<T>> };
