import type { JsonObject } from "../../model/json.ts";

/** A stored message of a language: its type and the members that its constructor is given. */
export interface Stored {
  readonly type: string;
  readonly data: JsonObject;
}

/** Why something is no message, as the language says it. */
export class Refusal {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}
