export { ollama } from "./ollama/index.ts";
