import { TranslogueError } from "../../model/error.ts";
import type { Json } from "../../model/json.ts";
import { jsContentBlocks } from "./content-blocks-js.ts";
import { viewMessage } from "./content-blocks-message.ts";
import { pythonContentBlocks } from "./content-blocks-python.ts";

export interface ContentBlocksOptions {
  /** Whose view: they differ in spelling, and in what they make of a provider's blocks. */
  readonly language: "python" | "js";
  /** Ids for blocks that Python gives random ones (`lc_<uuid>`). Without it these blocks have none. */
  readonly newId?: () => string;
}

/**
 * The standard content blocks of a LangChain message of any form, as `content_blocks` of langchain-core 1.6.5 and
 * `contentBlocks` of @langchain/core 1.4.0 derive them from its content, its calls and what its provider left beside them.
 * Where Python raises, the block stays `non_standard`; nothing of the message is changed. Throws
 * `decode/not-this-format` for what is no message.
 */
export function contentBlocks(message: Json, { language, newId }: ContentBlocksOptions): readonly Json[] {
  const view = viewMessage(message, language);
  if (!view) {
    throw new TranslogueError("decode/not-this-format", "the value is no message of LangChain's in any of its forms");
  }
  return language === "js" ? (view.written ?? jsContentBlocks(view)) : pythonContentBlocks(view, newId);
}
