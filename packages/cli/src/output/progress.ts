import type { Screen } from "../io.ts";

/** How far a run is. Times in milliseconds. */
export interface ProgressState {
  readonly bytes: number;
  /** Of all files; absent where a size is not known. */
  readonly total: number | undefined;
  readonly messages: number;
  readonly elapsed: number;
}

/** `42% ████▎     21.0 MB of 50.0 MB · 1,234 messages · 10.5 MB/s · 3 s left`, no wider than the terminal. */
export function progressLine(state: ProgressState, columns: number): string {
  const { bytes, total, messages, elapsed } = state;
  const rate = elapsed > 0 ? (bytes / elapsed) * 1000 : 0;
  const facts = [
    total === undefined ? size(bytes) : `${size(bytes)} of ${size(total)}`,
    `${messages.toLocaleString("en")} ${messages === 1 ? "message" : "messages"}`,
    ...(rate > 0 ? [`${size(rate)}/s`] : []),
    ...(total !== undefined && rate > 0 && bytes < total ? [`${duration((total - bytes) / rate)} left`] : []),
  ].join(" · ");
  if (total === undefined || total === 0) return facts.slice(0, columns);
  const share = Math.min(bytes / total, 1);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const room = Math.min(columns - percent.length - facts.length - 3, 30);
  return (room >= 5 ? `${percent} ${bar(share, room)}  ${facts}` : `${percent}  ${facts}`).slice(0, columns);
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

function bar(share: number, width: number): string {
  const units = Math.floor(share * width * 8);
  return `${"█".repeat(units >> 3)}${eighths[units & 7] ?? ""}`.padEnd(width);
}

/** Bytes in decimal units, three digits or more. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const unit = Math.min(Math.floor(Math.log10(bytes) / 3), 4);
  return `${(bytes / 1000 ** unit).toFixed(1)} ${["B", "kB", "MB", "GB", "TB"][unit]}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A bar is for people who look at it: on a terminal, and not between the lines of the output. */
export const wantsProgress = (screens: {
  readonly quiet: boolean;
  readonly stderr: Pick<Screen, "isTTY">;
  readonly output: Pick<Screen, "isTTY">;
}): boolean => !screens.quiet && screens.stderr.isTTY === true && screens.output.isTTY !== true;

const interval = 100;
const clearLine = "\r\u001b[2K";

/** The line at the bottom of the terminal. */
export class Progress {
  readonly #screen: Screen;
  readonly #total: number | undefined;
  readonly #now: () => number;
  readonly #start: number;
  #bytes = 0;
  #messages = 0;
  #drawn = Number.NEGATIVE_INFINITY;
  #visible = false;

  constructor(screen: Screen, total: number | undefined, now: () => number) {
    this.#screen = screen;
    this.#total = total;
    this.#now = now;
    this.#start = now();
  }

  read(bytes: number): void {
    this.#bytes += bytes;
    this.#draw();
  }

  converted(messages: number): void {
    this.#messages += messages;
    this.#draw();
  }

  /** Makes room for something else. */
  clear(): void {
    if (this.#visible) this.#screen.write(clearLine);
    this.#visible = false;
    this.#drawn = Number.NEGATIVE_INFINITY;
  }

  #draw(): void {
    const now = this.#now();
    if (now - this.#drawn < interval) return;
    this.#drawn = now;
    this.#visible = true;
    const state = { bytes: this.#bytes, total: this.#total, messages: this.#messages, elapsed: now - this.#start };
    this.#screen.write(clearLine + progressLine(state, (this.#screen.columns || 80) - 1));
  }
}
