/** Paths on a grid of 16, drawn with a stroke of 1.5. */
const paths = {
  arrow: "M3 8h9.5m-4-4 4 4-4 4",
  attach: "M13.5 7.5 8 13a3.2 3.2 0 0 1-4.5-4.5l6-6a2.1 2.1 0 0 1 3 3l-5.8 5.8a1 1 0 0 1-1.5-1.5L10.5 4.5",
  back: "M10 3.5 5.5 8l4.5 4.5",
  braces:
    "M6 2.5H5a1.5 1.5 0 0 0-1.5 1.5v2.5L2 8l1.5 1.5V12A1.5 1.5 0 0 0 5 13.5h1m4-11h1A1.5 1.5 0 0 1 12.5 4v2.5L14 8l-1.5 1.5V12a1.5 1.5 0 0 1-1.5 1.5h-1",
  check: "m3 8.5 3.5 3.5L13 4.5",
  chevron: "m6 3.5 4.5 4.5L6 12.5",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M5.5 5.5V3A.5.5 0 0 1 6 2.5h7a.5.5 0 0 1 .5.5v7a.5.5 0 0 1-.5.5h-2.5M3 5.5h7a.5.5 0 0 1 .5.5v7a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5V6a.5.5 0 0 1 .5-.5Z",
  down: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  download: "M8 2.5v8m-3-3 3 3 3-3M3 13.5h10",
  file: "M4 1.5h5L12.5 5v9a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5V2a.5.5 0 0 1 .5-.5ZM9 1.5V5h3.5",
  first: "M4 3.5v9m8-9L7.5 8l4.5 4.5",
  help: "M6 6a2 2 0 1 1 2.8 1.8c-.5.2-.8.7-.8 1.2v.5M8 12h0M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z",
  inspect: "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10Zm3.7-1.3 3.3 3.3",
  list: "M2.5 4h11m-11 4h11m-11 4h7",
  lock: "M4 7.5h8a.5.5 0 0 1 .5.5v5a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5V8a.5.5 0 0 1 .5-.5ZM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  next: "M6 3.5 10.5 8 6 12.5",
  pause: "M5.5 3.5v9m5-9v9",
  play: "M5 3v10l8-5Z",
  plus: "M8 3v10M3 8h10",
  retry: "M13 8a5 5 0 1 1-1.5-3.5L13 6m0-3.5V6H9.5",
  send: "M8 13.5v-11m-4.5 4.5L8 2.5l4.5 4.5",
  settings: "M2.5 4.5h6m3 0h2m-11 7h2m3 0h6M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  stop: "M4.5 4.5h7v7h-7Z",
  tool: "m9 5.5 1.5-3a3.7 3.7 0 0 0-4.8 4.8L2.5 10.5a1.5 1.5 0 0 0 2.1 2.1l3.2-3.2a3.7 3.7 0 0 0 4.8-4.8l-2 2Z",
  trash: "M2.5 4.5h11m-7-2h3M4 4.5l.5 9h7l.5-9M6.5 7v4m3-4v4",
  warning: "M8 6v3.5M8 12h0M8 2 1.5 13.5h13Z",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside words: whoever does not see it misses nothing. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={name === "stop" ? "icon solid" : "icon"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
