export { mistral } from "./mistral/index.ts";
