/** Calls of functions and of Google's own tools, and which results answer them. */

import type { JsonObject } from "../../model/json.ts";
import type { NodeReader } from "./node.ts";

interface OpenCall {
  readonly callId: string;
  /** The wire gave it no id. */
  readonly isMade: boolean;
  isAnswered: boolean;
}

/** Calls that wait for results: a result without an id answers the first of its name that has none either (R8, R9). */
export class OpenCalls {
  readonly #byName = new Map<string, OpenCall[]>();
  readonly #byId = new Map<string, OpenCall[]>();

  add(name: string, callId: string, isMade: boolean): void {
    const call = { callId, isMade, isAnswered: false };
    push(this.#byName, name, call);
    push(this.#byId, callId, call);
  }

  /** A result that names its call. */
  answer(callId: string): void {
    const call = firstOpen(this.#byId.get(callId));
    if (call) call.isAnswered = true;
  }

  /** The call that a result without an id answers. */
  next(name: string): string | undefined {
    const calls = this.#byName.get(name);
    const first = firstOpen(calls);
    const call = first?.isMade ? first : (calls?.find(each => each.isMade && !each.isAnswered) ?? first);
    if (call) call.isAnswered = true;
    return call?.callId;
  }
}

function push(map: Map<string, OpenCall[]>, key: string, call: OpenCall): void {
  const calls = map.get(key);
  if (calls) calls.push(call);
  else map.set(key, [call]);
}

/** Answered calls at the front are forgotten, so that a long history costs no search. */
function firstOpen(calls: OpenCall[] | undefined): OpenCall | undefined {
  while (calls?.[0]?.isAnswered) calls.shift();
  return calls?.[0];
}

/** The id of a call; a missing one is made, and how it was missing is a hint. */
export function readCallId(reader: NodeReader, made: string): { readonly callId: string; readonly hints: JsonObject } {
  const id = reader.peek("id");
  const isMissing = id === undefined || id === null || id === "";
  if (!isMissing) {
    const callId = reader.string("id");
    return callId === undefined ? { callId: made, hints: { $id: false } } : { callId, hints: {} };
  }
  reader.take("id");
  return { callId: made, hints: { $id: id ?? (id === null ? null : false) } };
}

/** The provider's own tools, by the type that their calls have on the wire. */
export const toolTypes: { readonly [toolType: string]: { readonly name: string; readonly kind: string } } = {
  GOOGLE_SEARCH_WEB: { name: "google_search", kind: "web-search" },
  GOOGLE_SEARCH_IMAGE: { name: "google_image_search", kind: "image-search" },
  URL_CONTEXT: { name: "url_context", kind: "web-fetch" },
  FILE_SEARCH: { name: "file_search", kind: "file-search" },
  GOOGLE_MAPS: { name: "google_maps", kind: "maps" },
};

/** Code that the provider runs. */
export const codeTool = { name: "code_execution", kind: "code-interpreter" } as const;
