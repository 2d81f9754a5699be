import { transcodedEverywhere } from "@translogue/testkit/transcoded";
import { corpus } from "@translogue/testkit/wire-samples";
import { accumulate, emit, type FormatId, formats, type Json, runAll, streamDecoder, streamEncoder } from "translogue";
import { describe, expect, test } from "vitest";

/** The corpus's answers, one message each, as a format streams them. */
const answers = corpus.flatMap(([name, { messages }]) =>
  messages.flatMap((message, index) =>
    message.role === "assistant" ? [[`${name}, message ${index}`, message] as const] : [],
  ),
);

/** Property 4: a stream that is transcoded and read by the target's own client is what the whole messages are, converted. */
describe.each(formats.flatMap(({ id, stream }) => (stream ? [id as FormatId] : [])))(
  "a stream of %s, transcoded into the others and read by their clients",
  format => {
    test.each(answers)("is the same message: %s", async (_, message) => {
      const wire: readonly Json[] = runAll(streamEncoder(format, { recipient: "client" }), emit([message]));
      const messages = accumulate(runAll(streamDecoder(format), wire));
      expect(await transcodedEverywhere(format, wire, messages)).toBeUndefined();
    });
  },
);
