import type { Event } from "translogue";
import type { Scenario } from "./scenarios.ts";

/** Its answers and its tool take so long that whatever happens to a process happens in the middle of them. */
export const unhurried: Scenario = {
  title: "an answer and a tool that take a second each, and a call that waits",
  input: "Open north",
  turns: [
    { text: "First.", pace: 1000, calls: [["c1", "nap", { ms: 1000 }]] },
    { text: "Then this.", calls: [["c2", "gate", { gate: "north" }]] },
    { text: "All done." },
  ],
  answers: [["c2", true]],
  finish: "stop",
  text: "All done.",
};

/** Operations of `unhurried` whose middle is a second long, by what is counted as they begin. */
export const moments = { "a model call": "turn 0", "a tool call": "c1" } as const;

export const isAsking = (event: Event): boolean => event.type === "part" && event.value.type === "approval-request";
