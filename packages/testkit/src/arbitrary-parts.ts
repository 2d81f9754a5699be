/** Generators of parts. */

import * as fc from "fast-check";
import type { Citation, FileSource, Part, PartOf, PartType, Tool, ToolCallPart } from "translogue";
import {
  arbitraryText,
  date,
  json,
  members,
  native,
  type OptionalMembers,
  object,
  type RequiredMembers,
  seal,
  word,
  yes,
} from "./arbitrary-json.ts";

type Base = Pick<Part, "id" | "seal" | "cache" | "partial" | "startedAt" | "endedAt" | "native">;

const base: fc.Arbitrary<Base> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: object<Base>(
      {},
      {
        id: word,
        seal,
        cache: object<NonNullable<Part["cache"]>>({}, { ttl: fc.constantFrom("5m", "1h") }),
        partial: yes,
        startedAt: date,
        endedAt: date,
        native,
      },
    ),
  },
);

/** A part with its own members and, now and then, those of all parts. */
const part = <Type extends PartType>(
  type: Type,
  own: fc.Arbitrary<Omit<PartOf<Type>, "type" | keyof Base>>,
): fc.Arbitrary<PartOf<Type>> =>
  fc.tuple(own, base).map(([members, shared]) => ({ type, ...members, ...shared }) as unknown as PartOf<Type>); // its type and members

type Own<Type extends PartType> = Omit<PartOf<Type>, "type" | keyof Base>;
const own = <Type extends PartType>(required: RequiredMembers<Own<Type>>, optional: OptionalMembers<Own<Type>> = {}) =>
  object<Own<Type>>(required, optional);

const reference = { url: fc.webUrl(), title: arbitraryText, fileId: word, name: arbitraryText };

const citationIn = (text: string): fc.Arbitrary<Citation> =>
  fc
    .tuple(
      object<Citation>(
        {},
        {
          ...reference,
          quote: arbitraryText,
          at: object<NonNullable<Citation["at"]>>(
            { unit: fc.constantFrom("char", "page", "block") },
            { start: fc.nat(9), end: fc.nat(9), document: fc.nat(9) },
          ),
          seal,
          native,
        },
      ),
      fc.option(fc.array(fc.nat(text.length), { minLength: 2, maxLength: 2 })),
    )
    .map(([citation, range]) => {
      const [start = 0, end = 0] = (range ?? []).toSorted((a, b) => a - b);
      return range ? { ...citation, start, end } : citation;
    });

const textPart = part(
  "text",
  arbitraryText.chain(text =>
    own<"text">(
      { text: fc.constant(text) },
      { citations: fc.array(citationIn(text), { maxLength: 2 }), phase: fc.constantFrom("commentary", "final") },
    ),
  ),
);
const reasoningPart = part("reasoning", own<"reasoning">({}, { text: arbitraryText, summary: yes }));
const refusalPart = part("refusal", own<"refusal">({ text: arbitraryText }));

const filePart = (source: fc.Arbitrary<FileSource>) =>
  part(
    "file",
    own<"file">(
      { source },
      {
        mediaType: fc.constantFrom("image/png", "image/*", "application/pdf", "audio/wav", "text/plain"),
        name: arbitraryText,
        text: arbitraryText,
        detail: fc.constantFrom("low", "high"),
        reasoning: yes,
      },
    ),
  );
const plainSource: fc.Arbitrary<FileSource> = fc.oneof(
  object<{ readonly data: string }>({ data: fc.base64String({ maxLength: 16 }) }),
  object<{ readonly url: string }>({ url: fc.webUrl() }),
  object<{ readonly id: string; readonly provider?: string }>({ id: word }, { provider: word }),
  object<{ readonly text: string }>({ text: arbitraryText }),
);

const exactData = fc.integer().map(whole => ({ data: { whole }, exact: { "/data/whole": `${whole}.0` } }));
const dataPart = part(
  "data",
  fc.oneof(
    {
      weight: 5,
      arbitrary: own<"data">(
        { data: json },
        { name: word, kind: fc.constantFrom("state", "activity"), patch: fc.constant(true as const) },
      ),
    },
    { weight: 1, arbitrary: exactData },
  ),
);
const errorPart = part("error", own<"error">({ message: arbitraryText }, { code: word, details: arbitraryText }));
const opaquePart = part("opaque", own<"opaque">({ family: fc.constantFrom("elsewhere", "anthropic"), value: members }));
const sourcePart = (parts: fc.Arbitrary<readonly Part[]>) =>
  part("source", own<"source">({}, { ...reference, mediaType: fc.constant("text/html"), parts }));

const leaf: fc.Arbitrary<Part> = fc.oneof(textPart, filePart(plainSource), dataPart, errorPart, opaquePart);
const leaves = fc.array(leaf, { maxLength: 3 });
const documentSource: fc.Arbitrary<FileSource> = object<{ readonly parts: readonly Part[] }>({ parts: leaves });
const holder: fc.Arbitrary<Part> = fc.oneof(filePart(documentSource), sourcePart(leaves));
/** What may stand inside of another part, two levels deep. */
const nested = fc.array(fc.oneof({ weight: 5, arbitrary: leaf }, { weight: 1, arbitrary: holder }), { maxLength: 3 });

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

type Arguments = Pick<ToolCallPart, "input" | "inputText" | "exact" | "kind">;

/** R7: a text beside the input is another spelling of it; a text alone is no JSON. */
const callArguments: fc.Arbitrary<Arguments> = fc.oneof(
  fc.constant({}),
  fc.oneof(members, json).map(input => ({ input })),
  members.map(input => {
    const inputText = JSON.stringify(input, undefined, 1);
    return inputText === JSON.stringify(input) ? { input } : { input, inputText };
  }),
  fc
    .tuple(members, fc.constantFrom("}", "]", ",", " x"))
    .map(([input, excess]) => ({ inputText: JSON.stringify(input) + excess })),
  fc
    .oneof(
      members.map(input => JSON.stringify(input).slice(0, -1)),
      fc.constantFrom(" ", "{", "tru"),
    )
    .filter(text => !parses(text))
    .map(inputText => ({ inputText })),
  fc.integer().map(whole => ({ input: { whole }, exact: { "/input/whole": `${whole}.0` } })),
  arbitraryText.map(input => ({ kind: "custom", input })),
);

const toolCallPart = part(
  "tool-call",
  fc
    .tuple(
      own<"tool-call">(
        { callId: word, name: word },
        {
          kind: fc.constantFrom("mcp", "web-search", "computer"),
          executedBy: fc.constant("provider"),
          handled: yes,
          caller: word,
          server: word,
          title: arbitraryText,
        },
      ),
      callArguments,
    )
    .map(([call, given]) => ({ ...call, ...given })),
);

const toolResultPart = part(
  "tool-result",
  own<"tool-result">(
    { callId: word },
    {
      name: word,
      kind: word,
      output: fc.oneof(
        nested,
        fc.tuple(nested, textPart).map(([others, last]) => [...others, last]),
      ),
      structured: json,
      display: nested,
      outcome: fc.constantFrom("error", "denied", "interrupted"),
      preliminary: yes,
    },
  ),
);

const option = object<{ readonly id: string; readonly kind?: string; readonly label?: string }>(
  { id: word },
  { kind: word, label: arbitraryText },
);

/** A generator of each part, by its type. */
export const partsByType = {
  text: textPart,
  reasoning: reasoningPart,
  refusal: refusalPart,
  file: fc.oneof({ weight: 4, arbitrary: filePart(plainSource) }, { weight: 1, arbitrary: filePart(documentSource) }),
  "tool-call": toolCallPart,
  "tool-result": toolResultPart,
  "approval-request": part(
    "approval-request",
    own<"approval-request">(
      { requestId: word, callId: word },
      {
        call: toolCallPart,
        reason: arbitraryText,
        automatic: yes,
        options: fc.array(option, { maxLength: 2 }),
        expiresAt: date,
      },
    ),
  ),
  "approval-response": part(
    "approval-response",
    own<"approval-response">(
      { requestId: word, approved: fc.boolean() },
      { callId: word, reason: arbitraryText, optionId: word, call: toolCallPart },
    ),
  ),
  "input-request": part(
    "input-request",
    own<"input-request">(
      { requestId: word, kind: fc.constantFrom("question", "form", "auth") },
      { message: arbitraryText, schema: members, url: fc.webUrl(), callId: word, expiresAt: date },
    ),
  ),
  "input-response": part("input-response", own<"input-response">({ requestId: word }, { value: json })),
  source: sourcePart(nested),
  data: dataPart,
  error: errorPart,
  change: part(
    "change",
    own<"change">(
      {},
      {
        toolsAdded: fc.array(
          fc.oneof(word, object<Tool>({ name: word }, { description: arbitraryText, input: members })),
          { maxLength: 2 },
        ),
        toolsRemoved: fc.array(word, { maxLength: 2 }),
        model: word,
        effort: word,
        agent: word,
      },
    ),
  ),
  compaction: part(
    "compaction",
    own<"compaction">(
      {},
      {
        summary: nested,
        replaces: fc.option(word),
        keep: fc.array(word, { maxLength: 2 }),
        trigger: fc.constantFrom("auto", "manual"),
        tokensBefore: fc.nat(),
      },
    ),
  ),
  opaque: opaquePart,
} satisfies { readonly [Type in PartType]: fc.Arbitrary<PartOf<Type>> };
