import { type Codec, type ExactText, type Loss, type Shape, stringifyJson } from "translogue";
import { writeText } from "translogue/convert";
import type { DetectedFormat, Success } from "../contract.ts";

/** A value of a format, and how it is spelled. */
export interface Written {
  readonly codec: Codec;
  readonly value: unknown;
  readonly shape: Shape;
  readonly dialect: string;
  readonly exact?: ExactText;
}

/** A value as its format writes it, and what the text does not hold of it. */
export interface WrittenText {
  readonly text: string;
  readonly losses: readonly Loss[];
}

export function textOf({ codec, value, shape, dialect, exact }: Written): WrittenText {
  const losses: Loss[] = [];
  const onLoss = (loss: Loss): unknown => losses.push(loss);
  return { text: writeText(codec, value, { shape, dialect, onLoss, ...(exact && { exact }) }), losses };
}

/** The text alone; what is to be said of it is in the headers. */
export function bareAnswer(text: string, remarks: { readonly [header: string]: string }): Response {
  const told = Object.fromEntries(Object.entries(remarks).filter(([, words]) => words !== ""));
  return new Response(`${text}\n`, { headers: { "content-type": "application/json", ...told } });
}

/** An answer of the API whose numbers are spelled as they came. */
export function exactAnswer(data: unknown, exact: ExactText | undefined): Response {
  const body: Success<unknown> = { success: true, data };
  return new Response(stringifyJson(body, exact), { headers: { "content-type": "application/json" } });
}

/** `openai-chat:openai, request`. */
export const formatHeader = ({ format, dialect, shape }: DetectedFormat): string => `${format}:${dialect}, ${shape}`;

/** `code=2, other=1`: what is told where there is no room for more. */
export function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name}=${count}`).join(", ");
}

export const codesOf = (remarks: readonly { readonly code: string }[]): string =>
  counted(remarks.map(({ code }) => code));
