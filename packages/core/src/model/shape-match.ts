import type { Member, Members, Shape } from "./shape.ts";
import type { NamedShapes, Variants } from "./shapes.ts";

export const isVariants = (named: Members | Variants): named is Variants => "variants" in named; // no member has this name

/** A table of members made ready for look-up: in a map, so that names like `constructor` are no members. */
export interface Compiled {
  readonly fields: ReadonlyMap<string, Member>;
  readonly required: readonly string[];
}
/** A named shape made ready: of one kind, or of several by their `type`. */
export interface CompiledNamed {
  readonly own?: Compiled;
  readonly variants?: ReadonlyMap<string, Compiled>;
  /** It is a node of a conversation. */
  readonly isNode: boolean;
}

const nodeNames: ReadonlySet<string> = new Set(["Conversation", "Message", "Part", "ToolCallPart", "Citation", "Tool"]);

const compiledMembers = new WeakMap<Members, Compiled>();
const compiledNames = new WeakMap<NamedShapes, ReadonlyMap<string, CompiledNamed>>();

export const compiled = (members: Members): Compiled =>
  once(compiledMembers, members, () => {
    const entries = Object.entries(members);
    const required = entries.filter(([, member]) => member.required).map(([name]) => name);
    return { fields: new Map(entries), required };
  });

export const compiledShapes = (shapes: NamedShapes): ReadonlyMap<string, CompiledNamed> =>
  once(compiledNames, shapes, () => {
    const variants = ({ variants }: Variants) =>
      new Map(Object.entries(variants).map(([type, members]) => [type, compiled(members)]));
    return new Map(
      Object.entries(shapes).map(([name, named]): [string, CompiledNamed] => [
        name,
        {
          isNode: nodeNames.has(name),
          ...(isVariants(named) ? { variants: variants(named) } : { own: compiled(named) }),
        },
      ]),
    );
  });

function once<K extends object, V>(made: WeakMap<K, V>, key: K, make: () => V): V {
  const known = made.get(key);
  if (known) return known;
  const value = make();
  made.set(key, value);
  return value;
}

/** Of this realm or another one. */
export function isPlain(value: object): value is { readonly [name: string]: unknown } {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

export const isScalar = (kind: "boolean" | "true" | "null", value: unknown): boolean =>
  kind === "boolean" ? typeof value === "boolean" : value === (kind === "true" ? true : null);

export function looksLike(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "string":
    case "enum":
      return typeof value === "string";
    case "number":
    case "count":
    case "index":
      return typeof value === "number";
    case "boolean":
    case "true":
    case "null":
      return isScalar(shape.kind, value);
    case "list":
      return Array.isArray(value);
    case "object":
      return isRecord(value) && hasAll(value, compiled(shape.members).required);
    case "record":
    case "ref":
      return isRecord(value);
    case "union":
      return shape.of.some(option => looksLike(option, value));
    case "json":
      return true;
  }
}

function hasAll(value: object, names: readonly string[]): boolean {
  for (const name of names) if (!Object.hasOwn(value, name)) return false;
  return true;
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
