export { langchainEvents } from "./langchain-events/index.ts";
