import { type CheckCode, enough, type Issues } from "./check-codes.ts";
import { checkNode, type NodeReport } from "./check-nodes.ts";
import { formatPath, type Path } from "./issue.ts";
import { maxDepth } from "./json-reader.ts";
import type { Member, Shape } from "./shape.ts";
import {
  type Compiled,
  type CompiledNamed,
  compiled,
  compiledShapes,
  isPlain,
  isScalar,
  looksLike,
} from "./shape-match.ts";
import { expected, shortened, shown } from "./shape-words.ts";
import type { NamedShapes } from "./shapes.ts";
import { isBase64, isIsoDate, nearest } from "./spelling.ts";

type Step = string | number;
type Plain = { readonly [name: string]: unknown };

/** Only values nested deeper are looked up among those they are in: nothing real is. */
const trustedDepth = 32;
/** A value that was read at the limit of the readers stands some levels down in its conversation. */
const deepest = maxDepth + 50;
/** After as many objects and lists those done are remembered: a value that holds one thing millions of times stays linear. */
const trustedCount = 100_000;

/** Asked so inside of `for … in`, whether a member is an own one costs nothing, and no list of the names is made. */
const { hasOwnProperty: isOwn } = Object.prototype;

const jsonShape: Shape = { kind: "json" };

/** Compares a value with a shape, member by member. Never throws; bounded in depth, and in time by the size of the value. */
export class StructureCheck {
  private readonly path: Step[] = [];
  private readonly within = new Set<object>();
  private readonly done = new WeakMap<object, Shape>();
  private count = 0;
  private readonly report: NodeReport = (code, at, text) => this.addAt([...this.path, ...at], code, text);
  private readonly shapes: ReadonlyMap<string, CompiledNamed>;
  private readonly issues: Issues;

  constructor(shapes: NamedShapes, issues: Issues) {
    this.shapes = compiledShapes(shapes);
    this.issues = issues;
  }

  value(shape: Shape, value: unknown): void {
    switch (shape.kind) {
      case "string":
        if (typeof value === "string") this.text(shape.form, value);
        else this.wrongType(shape, value);
        break;
      case "number":
      case "count":
      case "index":
        if (typeof value === "number") this.number(shape.kind, value);
        else this.wrongType(shape, value);
        break;
      case "boolean":
      case "true":
      case "null":
        if (!isScalar(shape.kind, value)) this.wrongType(shape, value);
        break;
      case "enum":
        this.word(shape, value);
        break;
      case "union":
        this.union(shape, value);
        break;
      case "json":
        this.json(value);
        break;
      default:
        this.container(shape, value);
    }
  }

  private json(value: unknown): void {
    if (value === null || typeof value === "boolean") return;
    if (typeof value === "string") this.text(undefined, value);
    else if (typeof value === "number") this.number("number", value);
    else if (typeof value === "object") this.container(jsonShape, value);
    else this.add("not-json", `is ${shown(value)}, which JSON does not have. Leave it out, or write it as a string.`);
  }

  /** Objects and lists: where depth, cycles and readers that throw are met. */
  private container(shape: Shape, value: unknown): void {
    if (typeof value !== "object" || value === null) this.wrongType(shape, value);
    else if (this.enter(shape, value)) {
      const depth = this.path.length;
      try {
        if (Array.isArray(value)) this.items(shape, value);
        else if (isPlain(value)) this.object(shape, value);
        else this.add("not-json", `is ${shown(value)}, not a plain object. Copy its members into one.`);
      } catch (error) {
        if (error === enough) throw error;
        this.path.length = depth;
        this.unreadable(error);
      }
      if (depth > trustedDepth) this.within.delete(value);
      if (this.count > trustedCount) this.done.set(value, shape);
    }
  }

  private enter(shape: Shape, value: object): boolean {
    if (++this.count > trustedCount && this.done.get(value) === shape) return false;
    const depth = this.path.length;
    if (depth > deepest) {
      this.add("too-deep", `is nested deeper than ${deepest} levels. Flatten it: what is below was not checked.`);
      return false;
    }
    if (depth <= trustedDepth) return true;
    if (this.within.has(value)) {
      this.add("cycle", "is a value that it is itself inside of. Leave it out: JSON has no cycles.");
      return false;
    }
    this.within.add(value);
    return true;
  }

  private items(shape: Shape, value: readonly unknown[]): void {
    if (shape.kind === "list") this.list(shape.of, value);
    else if (shape.kind === "json") this.list(shape, value);
    else this.wrongType(shape, value);
  }

  private object(shape: Shape, value: Plain): void {
    switch (shape.kind) {
      case "object":
        this.members(compiled(shape.members), value);
        break;
      case "ref":
        this.named(shape.to, value);
        break;
      case "record":
        this.record(shape.of, value);
        break;
      case "json":
        this.record(shape, value);
        break;
      default:
        this.wrongType(shape, value);
    }
  }

  private record(of: Shape, value: Plain): void {
    for (const key in value) {
      const member = isOwn.call(value, key) ? value[key] : undefined;
      if (member === undefined) continue;
      this.path.push(key);
      if (!key.isWellFormed()) this.add("lone-surrogate", "has a name with half a character. Replace it.");
      this.value(of, member);
      this.path.pop();
    }
  }

  private list(of: Shape, items: readonly unknown[]): void {
    for (let index = 0; index < items.length; index++) {
      this.path.push(index);
      const item = items[index];
      if (item === undefined) this.add("not-json", "is undefined, a hole in the list. Remove it, or write null.");
      else this.value(of, item);
      this.path.pop();
    }
  }

  private named(name: string, value: Plain): void {
    const named = this.shapes.get(name);
    if (named === undefined) return;
    const start = this.issues.found.length;
    if (named.own) this.members(named.own, value);
    else if (named.variants) this.variant(name, named.variants, value);
    if (named.isNode && !this.issues.hasErrors(start)) checkNode(value, this.report);
  }

  private variant(name: string, variants: ReadonlyMap<string, Compiled>, value: Plain): void {
    const { type } = value;
    const members = typeof type === "string" ? variants.get(type) : undefined;
    if (members) {
      this.members(members, value);
      return;
    }
    this.path.push("type");
    const known = [...variants.keys()];
    const of = name.toLowerCase();
    if (type === undefined) this.add("missing-member", `is missing. Say which ${of} it is: ${known.join(", ")}.`);
    else if (typeof type !== "string") this.wrongType({ kind: "string" }, type);
    else {
      const meant = nearest(type, known);
      const advice = meant ? `Did you mean \`${meant}\`?` : `They are ${known.join(", ")}.`;
      this.add("unknown-type", `is ${shown(type)}, which is no type of ${of}. ${advice}`);
    }
    this.path.pop();
  }

  private members({ fields, required }: Compiled, value: Plain): void {
    let met = 0;
    for (const key in value) {
      const member = isOwn.call(value, key) ? value[key] : undefined;
      if (member === undefined) continue;
      const field = fields.get(key);
      this.path.push(key);
      if (field === undefined) this.unknownMember(key, member, fields);
      else {
        if (field.required) met++;
        this.value(field.shape, member);
      }
      this.path.pop();
    }
    if (met === required.length) return;
    for (const name of required) {
      if (value[name] === undefined || !Object.hasOwn(value, name)) this.missing(name, fields, value);
    }
  }

  private missing(name: string, fields: ReadonlyMap<string, Member>, value: Plain): void {
    this.path.push(name);
    const { shape, doc } = fields.get(name) as Member; // a name of this table
    const foreign = name === "parts" && "content" in value;
    const advice = foreign
      ? "It has `content`, as the messages of other formats: `decode` reads those."
      : `Add ${expected(shape)}: ${doc}`;
    this.add("missing-member", `is missing. ${advice}`);
    this.path.pop();
  }

  private unknownMember(key: string, value: unknown, fields: ReadonlyMap<string, Member>): void {
    const meant = nearest(key, fields.keys());
    const advice = meant
      ? `Did you mean \`${meant}\`?`
      : "Put the application's own into `metadata` or a data part, a format's into `native`.";
    this.add("unknown-member", `is not in the model. ${advice}`);
    this.json(value);
  }

  /** The first shape that the value fits; else what is wrong with it as the first that it looks like. */
  private union(shape: Shape & { kind: "union" }, value: unknown): void {
    const start = this.issues.found.length;
    let first: readonly (typeof this.issues.found)[number][] | undefined;
    for (const option of shape.of) {
      if (!looksLike(option, value)) continue;
      this.value(option, value);
      if (!this.issues.hasErrors(start)) return;
      first ??= this.issues.found.slice(start);
      this.issues.found.length = start;
    }
    if (first) this.issues.found.push(...first);
    else this.wrongType(shape, value);
  }

  private word(shape: Shape & { kind: "enum" }, value: unknown): void {
    if (typeof value !== "string") this.wrongType(shape, value);
    else if (shape.open) this.text(undefined, value);
    else if (!shape.values.includes(value)) {
      const meant = nearest(value, shape.values);
      const advice = meant ? `Did you mean \`${meant}\`?` : `Write ${expected(shape)}.`;
      this.add("unknown-value", `is ${shown(value)}, which it cannot be. ${advice}`);
    }
  }

  private text(form: "date" | "base64" | undefined, value: string): void {
    if (!value.isWellFormed()) {
      this.add(
        "lone-surrogate",
        "has half a character (a lone surrogate), which UTF-8 cannot carry. Cut it: `text.toWellFormed()`.",
      );
    }
    if (form === "date" && !isIsoDate(value)) {
      this.add(
        "bad-date",
        `is ${shown(value)}, not a date of ISO 8601. Write it as 2026-01-31T12:00:00Z, or keep the raw one in \`native\`.`,
      );
    }
    if (form === "base64" && !isBase64(value)) {
      this.add(
        "bad-base64",
        "is not base64 of the standard alphabet (A–Z a–z 0–9 + /, padded with =). Encode the bytes again; a data: URL goes to `url`.",
      );
    }
  }

  private number(kind: "number" | "count" | "index", value: number): void {
    if (!Number.isFinite(value)) {
      this.add("not-json", `is ${value}, which JSON does not have. Leave it out, or write a number.`);
    } else if (kind !== "number" && !(Number.isInteger(value) && value >= 0)) {
      const code = kind === "index" ? "wrong-type" : "bad-count";
      this.add(code, `is ${value}; expected a whole number from 0 on. Correct it, or leave it out.`);
    }
  }

  private wrongType(shape: Shape, value: unknown): void {
    this.add(
      "wrong-type",
      `is ${shown(value)}; expected ${expected(shape)}. Write it so, or leave it out where it may be absent.`,
    );
  }

  private unreadable(error: unknown): void {
    if (error instanceof RangeError) this.add("too-deep", "is nested too deep for this engine's stack. Flatten it.");
    else this.add("unreadable", "threw an exception when it was read. Copy the value into plain objects first.");
  }

  private add(code: CheckCode, text: string): void {
    this.addAt([...this.path], code, text);
  }

  private addAt(path: Path, code: CheckCode, text: string): void {
    this.issues.add(code, path, `${path.length === 0 ? "The value" : `\`${shortened(formatPath(path))}\``} ${text}`);
  }
}
