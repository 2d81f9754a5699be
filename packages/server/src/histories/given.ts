import {
  type Decoded,
  type Detected,
  detect,
  type ExactText,
  findFormat,
  formatPath,
  type Issue,
  isError,
  isJsonObject,
  type Json,
  type Loss,
  type Path,
  type Recipient,
} from "translogue";
import { decode } from "translogue/convert";
import { readJson } from "../body.ts";
import type { DetectedFormat } from "../contract.ts";
import { HttpError } from "../http-error.ts";
import { type Fault, Members, refuse } from "../members.ts";
import type { Call } from "../routes/call.ts";
import { codesOf } from "./answer.ts";

/** A value to read, and what is to become of it. */
export interface Given {
  readonly value: Json;
  readonly exact: ExactText;
  readonly options: Members;
  /** The body is the value itself, and the options are in the address: so is the answer the value itself. */
  readonly isBare: boolean;
}

/** Reads either form of a request. `named`: the member that is in the address where the body is the value itself. */
export async function readGiven(call: Call, named: "to" | "target"): Promise<Given> {
  const { maxBodyBytes: size, maxBodyDepth: depth } = call.services.config;
  const { value, exact } = await readJson(call.request, { size, depth });
  if (call.url.searchParams.has(named)) return { value, exact, options: optionsIn(call.url), isBare: true };
  const body = isJsonObject(value) ? value : {};
  const { input } = body;
  if (input !== undefined) return { value: input, exact, options: new Members(body), isBare: false };
  const cure = `send \`{ "input": …, "${named}": … }\`, or the value itself to \`${call.url.pathname}?${named}=…\``;
  throw faulty({ code: "missing", path: ["input"], message: `Missing required field: input; ${cure}` });
}

/** The options of an address: flags are `true` and `false`. */
export function optionsIn({ searchParams }: URL): Members {
  const flagOf = (text: string): Json => (text === "true" ? true : text === "false" ? false : text);
  const options = new Members(Object.fromEntries([...searchParams].map(([name, text]) => [name, flagOf(text)])));
  for (const name of new Set(searchParams.keys()))
    if (searchParams.getAll(name).length > 1)
      options.fault("invalid", [name], `\`${name}\` is given twice; give it once`);
  return options;
}

/** A value as it was read, and what it was read as. */
export interface Read extends Decoded {
  readonly format: DetectedFormat;
}

/** Reads the value as what `from` says, or as what it is found to be. Throws 400 with the place of what is wrong. */
export function read({ value, exact, options, isBare }: Given): Read {
  const from = options.string("from");
  refuse(options.faults);
  const found = from === undefined ? surest(value, isBare) : undefined;
  const { codec, dialect } = formatNamed(from ?? found?.format ?? "", "from");
  const decoded = atInput(isBare, () => decode(codec, value, { exact, ...(dialect !== undefined && { dialect }) }));
  const format = { format: codec.id, dialect: decoded.dialect, shape: decoded.shape };
  return { ...decoded, format: { ...format, ...(found && { confidence: found.confidence }) } };
}

const faulty = (fault: Fault, more: { readonly [name: string]: unknown } = {}, cause?: unknown): HttpError =>
  new HttpError(400, fault.message, { details: { issues: [fault], ...more }, ...(cause !== undefined && { cause }) });

function surest(value: Json, isBare: boolean): Detected {
  const found = detect(value);
  const [first] = found;
  const rival = found.find(({ format }) => format !== first?.format);
  if (first && first.confidence > (rival?.confidence ?? 0)) return first;
  const what = first
    ? `fits \`${first.format}\` and \`${rival?.format}\` as well; name one in \`from\``
    : "fits no format that is known; name the one it is in `from`, and what is wrong with it will be said";
  const path: Path = isBare ? [] : ["input"];
  const message = `${isBare ? "the body" : "`input`"} ${what}`;
  throw faulty({ code: "format/not-detected", path, message }, { candidates: found.slice(0, 5) });
}

/** An option without which nothing can be done. */
export function required(options: Members, name: "from" | "to" | "target", cure: string): string {
  const text = options.string(name);
  if (text !== undefined) return text;
  if (options.isAbsent(name)) options.fault("missing", [name], `Missing required field: ${name}; ${cure}`);
  refuse(options.faults);
  return "";
}

const recipients: readonly string[] = ["provider", "client", "store"] satisfies Recipient[];

export const recipientIn = (options: Members): Recipient | undefined =>
  options.oneOf("recipient", recipients) as Recipient | undefined; // one of `recipients`

/** The format that an option names. Throws a 400 that leads to the option. */
export function formatNamed(ref: string, option: "from" | "to"): ReturnType<typeof findFormat> {
  return at([option], () => findFormat(ref));
}

/** What a value makes impossible is the request's fault. */
export const atInput = <T>(isBare: boolean, run: () => T): T => at(isBare ? [] : ["input"], run);

export function at<T>(path: Path, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isError(error) || !/^(?:decode|encode|format|input|stream|target)\//.test(error.code)) throw error;
    const place = path.length > 0 ? `\`${formatPath(path)}\`: ` : "";
    const message = `${place}${error.message}`;
    throw faulty({ code: error.code, path, message }, {}, error);
  }
}

/** Under `strict` nothing may be lost. */
export function refuseLossy({
  losses,
  issues,
}: {
  readonly losses: readonly Loss[];
  readonly issues: readonly Issue[];
}): void {
  if (losses.length + issues.length === 0) return;
  const codes = codesOf([...losses, ...issues]);
  throw new HttpError(
    422,
    `the value does not come through whole (${codes}); see \`details\`, or leave \`strict\` out to take what comes`,
    { details: { losses: losses.slice(0, 100), issues: issues.slice(0, 100) } },
  );
}
