import { nearest } from "../nearest.ts";

/** What a person can ask of the chat itself. */
export type SlashCommand =
  | { readonly kind: "model"; readonly ref: string | undefined }
  | { readonly kind: "export"; readonly format: string; readonly file: string | undefined }
  | { readonly kind: "undo" | "help" }
  | { readonly kind: "wrong"; readonly message: string };

/** What a line means that a person typed. */
export type Line =
  | SlashCommand
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "exit" }
  | { readonly kind: "nothing" };

export const slashHelp = `/model [PROVIDER/MODEL]  say which model answers, or let another one answer from now on
/export FORMAT [FILE]    show the conversation so far in a format, or write it to a file
/undo                    take back the last turn
/help                    this
/exit                    leave (so does Ctrl-D)
A line that ends in \\ goes on; two slashes begin a text with a slash. Ctrl-C stops an answer, twice leaves.
`;

const words = ["/model", "/export", "/undo", "/help", "/exit", "/quit"];

export function readLine(text: string): Line {
  if (text.trim() === "") return { kind: "nothing" };
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1) };
  // What has several lines was pasted, and may begin with a path.
  if (!text.startsWith("/") || text.includes("\n")) return { kind: "say", text };
  const [word = "", first, ...rest] = text.trim().split(/\s+/);
  switch (word) {
    case "/model":
      return { kind: "model", ref: first };
    case "/export":
      if (first === undefined)
        return { kind: "wrong", message: "`/export` needs a format, as in `/export openai-chat`" };
      return { kind: "export", format: first, file: rest.length > 0 ? rest.join(" ") : undefined };
    case "/undo":
      return { kind: "undo" };
    case "/help":
      return { kind: "help" };
    case "/exit":
    case "/quit":
      return { kind: "exit" };
    default: {
      const near = nearest(word, words);
      const hint = near ? `did you mean \`${near}\`?` : "`/help` lists what there is";
      return { kind: "wrong", message: `there is no \`${word}\`; ${hint}` };
    }
  }
}

/** Whether the next line belongs to this one: it ends in an odd number of backslashes. */
export const goesOn = (line: string): boolean => (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;

/** `y`, `yes`, `n`, `no`, `n because`; undefined for anything else. */
export function readConsent(text: string): { readonly approved: boolean; readonly reason?: string } | undefined {
  const [, word = "", rest = ""] = /^\s*([^\s,:;.-]+)[\s,:;.-]*([\s\S]*?)\s*$/.exec(text) ?? [];
  const approved = /^(?:y|yes|是|好)$/i.test(word) ? true : /^(?:n|no|不|否)$/i.test(word) ? false : undefined;
  if (approved === undefined) return undefined;
  return { approved, ...(rest !== "" && { reason: rest }) };
}
