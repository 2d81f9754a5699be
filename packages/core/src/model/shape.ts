/** A small language for shapes: what a value may be, said once for the checker, the JSON Schema and the documents. */

import type { Json } from "./json.ts";

export type Shape =
  | { readonly kind: "string"; readonly form?: "date" | "base64" }
  /** count: a number that warns unless it is whole and not negative; index: one that must be. */
  | { readonly kind: "number" | "count" | "index" | "boolean" | "true" | "null" | "json" }
  /** open: other strings are fine too. */
  | { readonly kind: "enum"; readonly values: readonly string[]; readonly open?: true }
  | { readonly kind: "list" | "record"; readonly of: Shape }
  | { readonly kind: "object"; readonly members: Members }
  /** A shape with a name: see `namedShape`. */
  | { readonly kind: "ref"; readonly to: string }
  | { readonly kind: "union"; readonly of: readonly Shape[] };

export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
  readonly doc: string;
}
export type Members = { readonly [name: string]: Member };

/** A shape that stands for the type T, no wider and no narrower: the function makes T invariant. It exists in types only. */
export type ShapeOf<T> = Shape & { readonly "~type"?: (value: T) => T };
type TypeOf<S> = S extends { readonly "~type"?: (value: infer T) => unknown } ? T : never;

type MemberOf<T, Required extends boolean> = Member & { readonly shape: ShapeOf<T>; readonly required: Required };
/** The table of an interface. A member that is missing, too many, of another type, or optional where it is required (or the reverse) does not compile. */
export type MembersOf<T> = {
  readonly [K in keyof T]-?: MemberOf<Exclude<T[K], undefined>, Partial<Pick<T, K>> extends Pick<T, K> ? false : true>;
};

export const must = <T>(shape: ShapeOf<T>, doc: string): MemberOf<T, true> => ({ shape, required: true, doc });
export const may = <T>(shape: ShapeOf<T>, doc: string): MemberOf<T, false> => ({ shape, required: false, doc });

export const string: ShapeOf<string> = { kind: "string" };
export const isoDate: ShapeOf<string> = { kind: "string", form: "date" };
export const base64: ShapeOf<string> = { kind: "string", form: "base64" };
export const number: ShapeOf<number> = { kind: "number" };
export const count: ShapeOf<number> = { kind: "count" };
export const index: ShapeOf<number> = { kind: "index" };
export const boolean: ShapeOf<boolean> = { kind: "boolean" };
export const literalTrue: ShapeOf<true> = { kind: "true" };
export const json: ShapeOf<Json> = { kind: "json" };
export const nothing: ShapeOf<null> = { kind: "null" };

export const oneOf = <const T extends string>(...values: readonly T[]): ShapeOf<T> => ({ kind: "enum", values });
export const usually = <const T extends string>(...values: readonly T[]): ShapeOf<T | (string & {})> => ({
  kind: "enum",
  values,
  open: true,
});
export const list = <T>(of: ShapeOf<T>): ShapeOf<readonly T[]> => ({ kind: "list", of });
export const record = <T>(of: ShapeOf<T>): ShapeOf<{ readonly [name: string]: T }> => ({ kind: "record", of });
export const object = <T>(members: MembersOf<T> & Members): ShapeOf<T> => ({ kind: "object", members });
export const union = <const S extends readonly Shape[]>(...of: S): ShapeOf<TypeOf<S[number]>> => ({
  kind: "union",
  of,
});
