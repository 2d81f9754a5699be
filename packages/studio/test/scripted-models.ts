import type { Model } from "@translogue/agent";
import type { Event } from "translogue";

const start: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
const at = { message: 0, part: 0 };
const textStart: Event = { type: "part-start", ...at, value: { type: "text", text: "" } };
const delta = (text: string): Event => ({ type: "part-delta", ...at, of: "text", text });
const end: readonly Event[] = [
  { type: "part-end", ...at },
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];

/** Fails so often in the middle of a sentence, then answers. */
export function failing(times: number): Model {
  let left = times;
  return {
    id: "failing",
    provider: "test",
    async *stream() {
      yield [start, textStart, delta(left > 0 ? "Half an" : "A whole answer.")];
      if (left-- > 0) throw new Error("the line is dead");
      yield end;
    },
  };
}

/** Says so many words, in paragraphs, as fast as they go. */
export const long = (count: number): Model => ({
  id: "long",
  provider: "test",
  async *stream() {
    yield [start, textStart];
    for (let index = 0; index < count; index++) {
      yield [delta(index % 50 === 49 ? `**word${index}**.\n\n` : `word${index} `)];
      if (index % 500 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    yield end;
  },
});
