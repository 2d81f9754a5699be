/** Calls of functions and of Google's own tools, and which results answer them. */

import type { JsonObject } from "../../model/json.ts";
import { WaitingCalls } from "../waiting-calls.ts";
import type { NodeReader } from "./node.ts";

/** Calls that wait for results: a result without an id answers one of its name, first of those that have none either (R8). */
export class OpenCalls {
  readonly #waiting = new WaitingCalls();

  /** `isMade`: the wire gave it no id. */
  add(name: string, callId: string, isMade: boolean): void {
    this.#waiting.ask([`id ${callId}`, `name ${name}`, ...(isMade ? [`made ${name}`] : [])], callId);
  }

  /** Someone else than the model speaks. */
  endTurn(): void {
    this.#waiting.endTurn();
  }

  /** A result that names its call. */
  answer(callId: string): void {
    this.#waiting.answer(`id ${callId}`);
  }

  /** The call that a result without an id answers. */
  next(name: string): string | undefined {
    return this.#waiting.answer(`made ${name}`) ?? this.#waiting.answer(`name ${name}`);
  }
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
