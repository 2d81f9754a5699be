import {
  type Event,
  type FormatRef,
  type Json,
  type JsonObject,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const at = { message: 0, part: 0 };
const first = { url: "https://first.test", title: "First", start: 0, end: 2 };
const second = { url: "https://second.test", title: "Second", start: 3, end: 5 };

const begun = (members: object = {}): Event[] => [
  { type: "message-start", message: 0, head: { role: "assistant" } },
  { type: "part-start", ...at, value: { type: "text", text: "", ...members } },
];
const said: Event = { type: "part-delta", ...at, of: "text", text: "Hello" };
const cited = (citation: typeof first): Event => ({ type: "citation", ...at, citation });
const set = (...citations: (typeof first)[]): Event => ({ type: "part-set", ...at, set: { citations } });
const ended: Event[] = [
  { type: "part-end", ...at },
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];

/** The ways in which a text comes to have the two citations. */
const ways: { readonly [way: string]: readonly Event[] } = {
  "set after the text": [...begun(), said, set(first, second), ...ended],
  "set before the text": [...begun(), set(first, second), said, ...ended],
  "there at the start": [...begun({ citations: [first, second] }), said, ...ended],
  "one there at the start, the other following": [...begun({ citations: [first] }), said, cited(second), ...ended],
  "one set, the other following": [...begun(), said, set(first), cited(second), ...ended],
  "set in place of one that came": [...begun(), said, cited(second), set(first, second), ...ended],
};
const oneByOne = [...begun(), said, cited(first), cited(second), ...ended];

const formats: readonly FormatRef[] = [
  "ai-sdk-prompt:v4",
  "ai-sdk-prompt:v3",
  "ai-sdk-prompt:v2",
  "ai-sdk-model:v7",
  "ai-sdk-model:v6",
  "ai-sdk-ui:v7",
  "ai-sdk-ui:v6",
  "cohere",
  "gemini",
  "langchain-events",
  "maf",
  "openai-chat",
];

/** What a reader of the stream has in the end. */
const cites = (events: readonly Event[], format: FormatRef) => {
  const encoder = streamEncoder(format);
  const wire = JSON.stringify(runAll(encoder, events));
  const found = [first, second].map(({ url }) => wire.includes(url));
  return { found, losses: encoder.losses.map(({ code }) => code) };
};

describe.each(formats)("the citations of a text in a stream of %s", format => {
  test.each(Object.entries(ways))("are told when they are %s", (_, events) => {
    expect(cites(events, format)).toEqual({ ...cites(oneByOne, format), found: [true, true] });
  });
});

describe.each(["ai-sdk-prompt:v4", "ai-sdk-model:v7", "ai-sdk-ui:v7"] as const)("a text of %s", format => {
  const written = (events: readonly Event[]) => runAll(streamEncoder(format), events);

  test.each(Object.entries(ways))("says each citation once that is %s", (_, events) => {
    const ends = (stream: readonly Json[]) => JSON.stringify(stream).match(/https:\/\/(first|second)\.test/g);
    expect(ends(written(events))).toEqual(ends(written(oneByOne)));
  });
});

test.each(Object.entries(ways))(
  "a text of Responses says each citation in an event of its own that is %s",
  (_, events) => {
    const added = runAll(streamEncoder("openai-responses"), events)
      .filter(isJsonObject)
      .filter(({ type }) => type === "response.output_text.annotation.added");
    expect(added.map(({ annotation_index }) => annotation_index)).toEqual([0, 1]);
    expect(added.map(({ annotation }) => isJsonObject(annotation) && annotation["url"]).sort()).toEqual([
      first.url,
      second.url,
    ]);
  },
);

describe.each(["openai-chat", "openai-chat:perplexity"] as const)("annotations of a stream of %s", from => {
  const annotation = { type: "url_citation", url_citation: { ...{ start_index: 0, end_index: 2 }, ...first } };
  const chunk = (delta: Json, finish_reason: Json = null): Json => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [chunk({ content: "Hello" }), chunk({ annotations: [annotation] }), chunk({}, "stop")];

  test.each([
    ["ai-sdk-prompt:v4", "text-end"],
    ["ai-sdk-model:v7", "text-end"],
    ["ai-sdk-prompt:v3", "source"],
    ["ai-sdk-model:v6", "source"],
  ] as const)("are told in %s by a `%s`", (to, type) => {
    const events = runAll(streamDecoder(from), chunks);
    const told = runAll(streamEncoder(to), events).filter(
      part => (part as { type: string }).type === type, // every part of the stream has one
    );
    expect(JSON.stringify(told)).toContain(first.url);
  });
});

describe("a citation that was announced in openai-responses", () => {
  const written = (...events: readonly Event[]) => {
    const encoder = streamEncoder("openai-responses");
    const wire = runAll(encoder, [...events, ...ended]);
    const added = wire.filter(each => isJsonObject(each) && each["type"] === "response.output_text.annotation.added");
    const taken = encoder.losses.filter(({ code }) => code === "already-sent");
    return { added: added.length, taken: taken.map(({ path }) => path.join(".")) };
  };

  test.each<[how: string, event: Event]>([
    ["a list", set(second)],
    ["the part", { type: "part", ...at, value: { type: "text", text: "Hello", citations: [second] } }],
  ])("cannot be taken back by %s without it", (_, event) => {
    expect(written(...begun({ citations: [first] }), said, event)).toEqual({
      added: 2,
      taken: ["messages.0.parts.0.citations"],
    });
  });

  test("is the same with its members in another order", () => {
    const { url, ...others } = first;
    expect(written(...begun({ citations: [first] }), said, set({ ...others, url }))).toEqual({ added: 1, taken: [] });
  });
});
