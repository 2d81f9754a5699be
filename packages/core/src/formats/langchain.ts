export { type ChunkRules, type MergedChunks, mergeChunks } from "../blocks/langchain/merge.ts";
export { parsePartialJson } from "../blocks/langchain/partial-json.ts";
export { type ReadMessages, type ReadMessagesOptions, readMessages } from "./langchain/coerce.ts";
export { type ContentBlocksOptions, contentBlocks } from "./langchain/content-blocks.ts";
export { langchain } from "./langchain/index.ts";
export {
  asJson,
  fromInstances,
  type InstanceFrom,
  type Instances,
  type InstancesOptions,
  type MessageInstance,
  type MessagesModule,
  toInstances,
} from "./langchain/instances.ts";
export { type Loaded, type LoadOptions, load } from "./langchain/load.ts";
