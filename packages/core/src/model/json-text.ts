/** JSON with its exact spelling: read, written, and kept by the nodes of a conversation (R6, R7). */

export { exactPointers, exactTable, inputTextOf, isSpellingOf, jsonTextOf } from "./exact.ts";
export { copyExact, type ExactMember, type ExactText, tellsNumber } from "./exact-text.ts";
export { maxDepth, type ParsedJson, parseJson } from "./json-reader.ts";
export { stringifyJson } from "./json-writer.ts";
