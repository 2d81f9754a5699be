/** A server in a process of its own, for tests that end it: prints its address, calls a tool, and then speaks without end. */
import { serve, sqliteStore } from "../src/index.ts";
import { call, calls, heldAnswer, serverOf, toolOf } from "./scripted.ts";

const path = process.argv[2] ?? ":memory:";
const held = heldAnswer();
held.say("Without end");
const server = await serverOf({
  store: await sqliteStore({ path }),
  agentTools: [toolOf("look", () => "seen")],
  script: [calls(call("c1", "look", {})), held.answer],
  drainMs: 50,
});
const { url } = await serve(server);
console.log(url);
