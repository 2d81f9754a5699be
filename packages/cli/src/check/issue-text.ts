import { formatPath, type Issue, type Severity } from "translogue";
import { printable } from "../chat/printable.ts";
import { type Place, placeText } from "../failure.ts";
import { paint } from "../io.ts";

export const severityColors = { error: "red", warning: "yellow", info: "cyan" } as const satisfies Record<
  Severity,
  string
>;

/** An issue for people: a line as compilers write it, and below it what the provider says and what mends it. */
export function issueText(
  { severity, code, path, message, providerText, source, repair }: Issue,
  { place, color }: { readonly place: Place; readonly color: boolean },
): string {
  const where = `${placeText(place)}: ${formatPath(path)}`.trimEnd();
  // The message of a rule begins with the path, which stands before it here.
  const about = message.startsWith(`\`${formatPath(path)}\` `) ? message.slice(formatPath(path).length + 3) : message;
  const kind = paint(color, severityColors[severity], `${severity} ${code}`);
  return [
    `${paint(color, "bold", where)}: ${kind}: ${oneLine(about)}\n`,
    ...(providerText === undefined ? [] : [`    provider  ${oneLine(providerText)}\n`]),
    ...(repair === undefined ? [] : [`    repair    ${repair}\n`]),
    ...(source === undefined ? [] : [`    ${paint(color, "dim", `source    ${oneLine(source)}`)}\n`]),
  ].join("");
}

/** Input may have anything in it: on a terminal it stays text, and on its line. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s*\n\s*/g, " ");
