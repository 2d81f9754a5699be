import { TranslogueError } from "../model/error.ts";
import type { Issue, Loss, Path } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import type { ExactText } from "../model/json-text.ts";
import type { Codec, DecodeContext, EncodeContext, Shape } from "./codec.ts";

/** `count` messages from `first` on that an encoder wrote as these wire messages. */
export interface Group {
  readonly wireMessages: readonly [object, ...object[]];
  readonly first: number;
  readonly count: number;
}

export interface Collected {
  readonly context: DecodeContext;
  readonly issues: Issue[];
  readonly losses: Loss[];
  readonly carries: { readonly first: number; readonly carry: Json }[];
}

/** A context that collects what a decoder reports. */
export function decodeContext(
  codec: Codec,
  options: {
    readonly shape: Shape;
    readonly dialect: string;
    readonly newId?: () => string;
    readonly exact?: ExactText;
  },
): Collected {
  const issues: Issue[] = [];
  const losses: Loss[] = [];
  const carries: { first: number; carry: Json }[] = [];
  const context: DecodeContext = {
    shape: options.shape,
    dialect: options.dialect,
    newId: options.newId,
    ...(options.exact && { exact: options.exact }),
    issue: (code, wirePath, message, severity = "warning") =>
      issues.push({ code, severity, path: [], wirePath, message }),
    lose: (code, path, detail) => losses.push(declaredLoss(codec, { code, path, detail })),
    carried: (first, carry) => carries.push({ first, carry }),
  };
  return { context, issues, losses, carries };
}

/** A loss by its row in the codec's table; one that is not there is a fault of the codec, and says so. */
export function declaredLoss(
  codec: Codec,
  loss: { readonly code: string; readonly path: Loss["path"]; readonly detail: string | undefined },
): Loss {
  const row = Object.hasOwn(codec.losses, loss.code) ? codec.losses[loss.code] : undefined;
  if (!row)
    throw new TranslogueError(
      "codec/undeclared-loss",
      `\`${codec.id}\` reports \`${loss.code}\`, which its table of losses lacks`,
    );
  return {
    kind: row.kind,
    code: loss.code,
    path: loss.path,
    message: loss.detail ? `${row.note}: ${loss.detail}` : row.note,
  };
}

/** A context that collects what an encoder reports. */
export function encodeContext(
  codec: Codec,
  kind: Pick<EncodeContext, "shape" | "dialect" | "recipient" | "model" | "exact">,
  losses: Loss[],
  groups: Group[] = [],
): EncodeContext {
  return {
    ...kind,
    lose: (code, path, detail) => losses.push(declaredLoss(codec, { code, path, detail })),
    wrote: (wireMessages, first, count) => groups.push({ wireMessages, first, count }),
  };
}

/** Adds the loss of something taken out by shared code, by its path in the value it was taken out of. */
export const dropInto =
  (losses: Loss[], translate: (path: Path) => Path = path => path) =>
  (code: string, path: Path, message: string): void => {
    losses.push({ kind: "dropped", code, path: translate(path), message });
  };
