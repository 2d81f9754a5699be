export { gemini } from "./gemini/index.ts";
