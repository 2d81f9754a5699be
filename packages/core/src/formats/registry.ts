import type { Codec } from "../codec/codec.ts";
import { aiSdkUi } from "./ai-sdk-ui.ts";
import { huajuan } from "./huajuan.ts";
import { lighter } from "./lighter.ts";
import { openaiChat } from "./openai-chat.ts";

/** Every format, one line each, alphabetical. Being here is being supported. */
export const registry = {
  "ai-sdk-ui": aiSdkUi,
  huajuan,
  lighter,
  "openai-chat": openaiChat,
} as const satisfies Record<string, Codec>;
