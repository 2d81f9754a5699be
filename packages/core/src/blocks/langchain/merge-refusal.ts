import { TranslogueError } from "../../model/error.ts";

/** What a language throws where it cannot merge. */
export const cannotMerge = (what: string): TranslogueError =>
  new TranslogueError(
    "langchain/cannot-merge",
    `LangChain does not merge these chunks: ${what}; the rules \`lossless\` merge everything`,
  );
