import { placeOfFile } from "../input/source.ts";
import type { NotePlace } from "../reading/run.ts";
import { type ConversationFacts, Tally } from "./facts.ts";

/** The conversation that has the most of something, and where it is. */
export interface Most extends NotePlace {
  readonly count: number;
}

const sums = ["messages", "tokens", "bytes", "issues"] as const;
/** What the longest conversation is found by. */
const measures = ["messages", "tokens", "bytes"] as const;
const tallies = ["roles", "parts", "calls", "failed", "models", "seals", "usage"] as const;

/** So many names of one kind are kept: a log may name a tool anew each time. */
const mostNames = 10_000;

/** What all conversations of a run add up to. */
export class Totals {
  conversations = 0;
  readonly sums = { messages: 0, tokens: 0, bytes: 0, issues: 0 };
  readonly tallies = {
    formats: new Tally(),
    shapes: new Tally(),
    roles: new Tally(),
    parts: new Tally(),
    calls: new Tally(),
    failed: new Tally(),
    models: new Tally(),
    seals: new Tally(),
    usage: new Tally(),
  };
  longest: { readonly [measure in (typeof measures)[number]]?: Most } = {};
  readonly files = new Set<string>();

  add(facts: ConversationFacts, place: NotePlace): void {
    this.conversations++;
    this.files.add(place.file);
    this.tallies.formats.add(facts.format);
    this.tallies.shapes.add(facts.shape);
    for (const name of sums) this.sums[name] += facts[name];
    for (const name of tallies) for (const [key, times] of facts[name]) bounded(this.tallies[name], key, times);
    for (const measure of measures) {
      const count = facts[measure];
      if (count > (this.longest[measure]?.count ?? 0))
        this.longest = { ...this.longest, [measure]: { count, ...place } };
    }
  }

  /** As data, names sorted by how often they were met. */
  data() {
    const { tallies: all, sums: added, longest, conversations } = this;
    return {
      conversations,
      files: this.files.size,
      ...added,
      ...Object.fromEntries(Object.entries(all).map(([name, tally]) => [name, entries(tally)])),
      longest: Object.fromEntries(Object.entries(longest).map(([name, most]) => [name, placeOfFile(most)])),
    };
  }
}

function bounded(tally: Tally, name: string, times: number): void {
  const isKept = tally.counts.has(name) || tally.counts.size < mostNames;
  tally.add(isKept ? name : "(others)", times);
}

/** Own members only, whatever they are called. */
const entries = (tally: Tally): { readonly [name: string]: number } => Object.fromEntries(tally.sorted());
