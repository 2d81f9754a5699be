import * as messages from "@langchain/core/messages";
import type { Json } from "translogue";
import { untag } from "./tags.ts";

interface Message {
  toDict(): unknown;
}

/** The message that a case describes: a class of the package, and what its constructor is given. */
export function construct({ class: name, args }: { readonly [member: string]: Json }): Message {
  const known = Object.entries(messages).find(([key]) => key === name)?.[1] as new (
    ...given: readonly Json[]
  ) => Message; // the cases name classes of the package
  return new known(...(Array.isArray(args) ? args.map(untag) : []));
}

export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json; // JSON is Json
