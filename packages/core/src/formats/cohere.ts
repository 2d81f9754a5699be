export { cohere } from "./cohere/index.ts";
