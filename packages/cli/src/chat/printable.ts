/** Control characters but tab and line feed: in a terminal they would be commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text that a terminal shows and does not obey. */
export const printable = (text: string): string =>
  text.replace(controls, control => (control === "\r" ? "" : "\ufffd"));
