/** The Microsoft Agent Framework and Microsoft.Extensions.AI (.NET): their JSON byte for byte, and what .NET derives from it. */

export { addResponse, addUpdate, addUpdates } from "./maf/add-messages.ts";
export { type MafValue, type ReadMafOptions, readMaf, type WriteMafOptions, writeMaf } from "./maf/api.ts";
export { foldKey, sameKey } from "./maf/casefold.ts";
export {
  agentResponseBuilder,
  type ResponseBuilder,
  responseBuilder,
  toAgentResponse,
  toChatResponse,
} from "./maf/coalesce.ts";
export { hashMaf } from "./maf/hash.ts";
export { maf } from "./maf/index.ts";
export { type Asked, readChatOptions, writeChatOptions } from "./maf/options.ts";
export {
  asAgentResponse,
  asAgentResponseUpdate,
  asChatResponse,
  asChatResponseUpdate,
  toAgentResponseUpdates,
  toChatResponseUpdates,
} from "./maf/split.ts";
export { dotnetDate } from "./maf/text-dates.ts";
export { dotnetString, type Encoder } from "./maf/text-escape.ts";
export { dotnetNumber, type FloatType } from "./maf/text-numbers.ts";
export { type DataUri, hasTopLevelMediaType, isMediaType, mediaTypeOfUri, readDataUri } from "./maf/text-uris.ts";
export { textOfMaf } from "./maf/texts.ts";
export { addUsageDetails } from "./maf/usage-details.ts";
export type { StyleName } from "./maf/write.ts";
