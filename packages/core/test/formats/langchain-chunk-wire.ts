import { accumulate, type Json, type JsonObject, type Message, runAll, streamDecoder } from "translogue";

/** A chunk of an answer, or one of another class, as JavaScript serialises it. */
export const chunk = (kwargs: JsonObject, name = "AIMessageChunk"): JsonObject => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", name],
  kwargs: { content: "", additional_kwargs: {}, response_metadata: {}, ...kwargs },
});
export const piece = (of: JsonObject): JsonObject => ({ type: "tool_call_chunk", ...of });
/** The chunk that ends an answer. */
export const last = chunk({ response_metadata: { finish_reason: "stop" } });
export const read = (...chunks: Json[]): Message[] => accumulate(runAll(streamDecoder("langchain"), chunks));
