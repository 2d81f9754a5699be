import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import * as fc from "fast-check";
import type { Conversation, Message, Part } from "translogue";
import { stepsOfMakers } from "./broken-makers.ts";

const image: Part = { type: "file", mediaType: "image/png", source: { data: "iVBORw0KGgo=" } };
const makers = ["anthropic", "google", "openai", "deepseek", undefined];

/** Steps of an agent: what is thought and said, calls, their results, now and then a person. */
const loops: fc.Arbitrary<Conversation> = fc
  .array(fc.tuple(fc.nat(3), fc.nat(7), fc.nat(4), fc.nat(5)), { minLength: 1, maxLength: 5 })
  .map(steps => ({
    messages: steps.flatMap(([calls, kind, maker, said], step) => stepOf({ calls, kind, maker, said, step })),
  }));

interface Step {
  readonly calls: number;
  readonly kind: number;
  readonly maker: number;
  readonly said: number;
  readonly step: number;
}

function stepOf({ calls, kind, maker, said, step }: Step): readonly Message[] {
  const ids = Array.from({ length: calls }, (_, index) => (kind === 1 ? "again" : `call_${step}_${index}`));
  const owner = makers[maker];
  const seal = {
    ...(owner !== undefined && { maker: owner }),
    values: { [kind % 2 ? "signature" : "id"]: `rs_${step}` },
  };
  const answer: readonly Part[] = [
    ...(kind > 2 ? [{ type: "reasoning", text: "t", ...(said !== 1 && { seal }) } as const] : []),
    ...(said === 0 ? [] : [{ type: "text", text: said === 2 ? "\n" : "words " } as const]),
    ...ids.map(
      (callId, index): Part => ({ type: "tool-call", callId, name: index === 2 ? "a.b" : "f", input: { of: callId } }),
    ),
  ];
  const results = ids.map(
    (callId, index): Part => ({
      type: "tool-result",
      callId,
      output: [{ type: "text", text: callId }, ...(kind === index + 3 ? [image] : [])],
      ...(said === 3 && { outcome: "error" as const }),
    }),
  );
  return [
    ...(kind === 0 || step === 0
      ? [{ role: "user", parts: [{ type: "text", text: "ask" }, ...(maker === 1 ? [image] : [])] } as const]
      : []),
    ...(kind === 5 ? [{ role: "system", parts: [{ type: "text", text: "rule" }] } as const] : []),
    { role: "assistant", parts: answer },
    ...(kind % 2
      ? results.map(result => ({ role: "tool", parts: [result] }))
      : results.length > 0
        ? [{ role: "tool", parts: results }]
        : []),
  ];
}

/** Histories as crashes, edits, trimming and other libraries leave them: parts and messages gone, twice, moved, renamed, cut. */
const brokenOf = (whole: fc.Arbitrary<Conversation>): fc.Arbitrary<Conversation> =>
  fc
    .tuple(whole, fc.array(fc.tuple(fc.nat(20), fc.nat(30), fc.nat(30)), { maxLength: 6 }))
    .map(([conversation, steps]) => ({
      ...conversation,
      messages: steps.reduce(
        (messages, [kind, first, second]) => broken(messages, kind, [first, second]),
        conversation.messages,
      ),
    }));

/** Of all that a conversation can hold. */
export const brokenConversation = brokenOf(fc.oneof(arbitraryConversation, loops, stepsOfMakers));

/** Of what agents do. */
export const brokenLoop = brokenOf(loops);

type Ways = readonly ((messages: readonly Message[], message: Message, other: Message) => readonly Message[])[];

const replace = (messages: readonly Message[], message: Message, ...others: readonly Message[]): readonly Message[] =>
  messages.flatMap(each => (each === message ? others : [each]));
const withParts = (messages: readonly Message[], message: Message, map: (parts: readonly Part[]) => readonly Part[]) =>
  replace(messages, message, { ...message, parts: map(message.parts) });
const spelled = (messages: readonly Message[], map: (id: string) => string): readonly Message[] =>
  messages.map(message => ({
    ...message,
    parts: message.parts.map(part =>
      "callId" in part && part.callId !== undefined ? { ...part, callId: map(part.callId) } : part,
    ),
  }));
const ids = ["functions.f:0", "", "a".repeat(70), "call_9|fc_9", "é", "srvtoolu_1"];

const ways: Ways = [
  (all, message) => replace(all, message),
  (all, message) => withParts(all, message, parts => parts.slice(1)),
  (all, message) => withParts(all, message, parts => parts.slice(0, -1)),
  (all, message) => withParts(all, message, parts => parts.toReversed()),
  (all, message) => withParts(all, message, parts => [...parts, { type: "text", text: " " }]),
  (all, message) => withParts(all, message, parts => [{ type: "text", text: "" }, ...parts]),
  (all, message) => withParts(all, message, parts => [...parts, ...parts.map(part => ({ ...part }))]),
  (all, message) => withParts(all, message, () => []),
  (all, message, other) => withParts(all, message, parts => [...parts, ...other.parts.map(part => ({ ...part }))]),
  (all, message) => [...all, { ...message, id: `${message.id}2` }],
  (all, message) => [message, ...all.filter(each => each !== message)],
  (all, message) => [...all.filter(each => each !== message), message],
  all => all.toReversed(),
  (all, message) => replace(all, message, { ...message, role: "user" }),
  (all, message) => replace(all, message, { ...message, role: "narrator" }),
  (all, message) => replace(all, message, { ...message, role: "system" }),
  (all, message) => replace(all, message, { ...message, role: "assistant" }),
  (all, message) => spelled(all, id => ids[(id.length + message.parts.length) % ids.length] ?? id),
  all => spelled(all, id => `${id}.:${id}`),
  (all, message) =>
    withParts(all, message, parts => [
      ...parts,
      { type: "tool-call", callId: "t", name: "a b", input: "x", partial: true },
      { type: "tool-call", callId: "u", name: "f", inputText: "{" },
    ]),
  (all, message) =>
    replace(all, message, message, {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          callId: "t",
          outcome: "error",
          output: [
            { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
            { type: "text", text: "\ud83d" },
          ],
        },
      ],
    }),
];

function broken(
  messages: readonly Message[],
  kind: number,
  [first, second]: readonly [number, number],
): readonly Message[] {
  const message = messages[first % messages.length];
  const other = messages[second % messages.length];
  return message && other ? (ways[kind % ways.length]?.(messages, message, other) ?? messages) : messages;
}
