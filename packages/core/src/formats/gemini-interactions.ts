export { geminiInteractions } from "./gemini-interactions/index.ts";
