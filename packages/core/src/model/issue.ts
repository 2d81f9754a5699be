/** Where something is: member names and list positions from the root. */
export type Path = readonly (string | number)[];

/** How information failed to arrive as it was. */
export type LossKind = "dropped" | "flattened" | "merged" | "approximated" | "synthesised";

/** Something that a conversion could not keep. `path` leads into the canonical conversation, `wirePath` into the value read or written. */
export interface Loss {
  readonly kind: LossKind;
  readonly code: string;
  readonly path: Path;
  readonly wirePath?: Path;
  readonly message: string;
  /** It travels in the format's carry slot: whoever reads it with us gets it back. */
  readonly carried?: true;
}

export type Severity = "error" | "warning" | "info";

/** Something that is wrong with data: a conversation, or the value it was read from. */
export interface Issue {
  readonly code: string;
  readonly severity: Severity;
  readonly path: Path;
  readonly wirePath?: Path;
  readonly message: string;
  /** The rule broken, where one is named, with its source and date. */
  readonly rule?: string;
  readonly source?: string;
  /** What the provider itself says. */
  readonly providerText?: string;
  /** Name of the repair that would mend it. */
  readonly repair?: string;
}

/** `["messages", 0, "parts"]` as `messages[0].parts`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (/^[A-Za-z_$][\w$]*$/.test(step)) return text === "" ? step : `${text}.${step}`;
    return `${text}[${JSON.stringify(step)}]`;
  }, "");
