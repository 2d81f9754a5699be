/** A sentence with names in backticks. */
export const Prose = ({ text }: { readonly text: string }) =>
  text.split(/`([^`]*)`/).map((piece, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is drawn anew as a whole
    index % 2 === 1 ? <code key={index}>{piece}</code> : piece,
  );
