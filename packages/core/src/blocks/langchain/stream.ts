import type { LossTable, StreamCodec } from "../../codec/codec.ts";
import { chunkDecoder } from "./stream-decode.ts";
import { chunkEncoder } from "./stream-encode.ts";

/** Streams of chunks, one a wire event, in the dialects of messages; LangGraph's pairs with what it says of a chunk are read as well. */
export const chunkStream: StreamCodec = { framing: "sse", decoder: chunkDecoder, encoder: chunkEncoder };

/** What a stream has to give up that a whole message need not. */
export const streamLosses = {
  "already-sent": { kind: "approximated", note: "what was sent cannot be taken back; what is new follows it" },
  late: {
    kind: "approximated",
    note: "this came after what it belongs to was sent: what can follows it in a block of its own",
  },
  open: { kind: "approximated", note: "the parts of a stream are whole if it came to an end, and open if not" },
  cut: {
    kind: "approximated",
    note: "of an answer that was cut nothing tells the end, so what follows is taken for more of it",
  },
  "empty-block": {
    kind: "dropped",
    note: "LangChain's JavaScript, adding chunks up, leaves out a text without words and what is said of it",
  },
  "block-index": { kind: "dropped", note: "the index of a block in a stream is its place there" },
  "call-member": { kind: "dropped", note: "the pieces of a call have no place for this member" },
} as const satisfies LossTable;
