import type { JsonObject } from "../model/json.ts";

/** What a custom tool takes where every tool is a function: a free text in an object. */
export const textInput: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};
