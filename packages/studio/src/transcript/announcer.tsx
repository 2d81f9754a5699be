import { useEffect, useRef, useState } from "react";
import type { Status } from "../chat/chat.ts";
import type { Failure } from "../chat/failure.ts";
import { stateOf } from "../parts/call-view.tsx";
import { useWords } from "../shell/use-words.ts";
import type { Words } from "../shell/words.ts";
import type { Entry, Item } from "./entries.ts";
import { sentenceEnd, spoken } from "./sentences.ts";

interface AnnouncerProps {
  readonly entries: readonly Entry[];
  readonly status: Status;
  readonly failure: Failure | undefined;
}

interface Announcement {
  readonly number: number;
  readonly text: string;
}

/** The most that is kept for a reader that lags behind. */
const kept = 30;

/** Tells a screen reader what comes: an answer by its sentences, calls by their states. Silent about what was there before. */
export function Announcer({ entries, status, failure }: AnnouncerProps) {
  const words = useWords();
  const narrator = useRef(new Narrator());
  const [said, setSaid] = useState<readonly Announcement[]>([]);
  useEffect(() => {
    const news = narrator.current.listen(entries, status, words);
    if (news.length > 0) setSaid(before => withNews(before, news));
  }, [entries, status, words]);
  useEffect(() => {
    if (!failure) return;
    const { title, whatToDo } = words.failures[failure.kind];
    setSaid(before => withNews(before, [`${title}. ${whatToDo}`]));
  }, [failure, words]);
  return (
    <div className="sr-only" role="log" aria-live="polite">
      {said.map(({ number, text }) => (
        <p key={number}>{text}</p>
      ))}
    </div>
  );
}

/** Characters after which what has no end of a sentence is told all the same. */
const longestWait = 1000;

function tellableEnd(text: string, from: number): number {
  const end = sentenceEnd(text, from);
  return end === from && text.length - from > longestWait ? text.length : end;
}

function withNews(said: readonly Announcement[], news: readonly string[]): readonly Announcement[] {
  const next = (said.at(-1)?.number ?? 0) + 1;
  return [...said, ...news.map((text, index) => ({ number: next + index, text }))].slice(-kept);
}

const isUnderWay = (status: Status): boolean => status === "sending" || status === "streaming";

/** Finds what is new in an answer. */
export class Narrator {
  #entry = -1;
  #isAnswering = false;
  #status: Status = "loading";
  /** How much of a text was told, and what of a call, by the item's key. */
  readonly #told = new Map<string, number | string>();

  listen(entries: readonly Entry[], status: Status, words: Words): string[] {
    const [before, index] = [this.#status, entries.length - 1];
    this.#status = status;
    if (isUnderWay(status) && !this.#isAnswering) this.#begin(entries, words);
    if (!this.#isAnswering) return [];
    const entry = entries[index];
    const news = entry?.side === "answer" ? entry.items.flatMap(item => this.#newOf(item, status, words)) : [];
    if (status !== "ready") return news;
    this.#isAnswering = false;
    // A request that came to nothing has no answer that is complete.
    if (entry?.side !== "answer") return [];
    return [...news, before === "stopping" ? words.saysStopped : words.saysDone];
  }

  /** An answer that goes on after an approval was told up to there. */
  #begin(entries: readonly Entry[], words: Words): void {
    this.#isAnswering = true;
    const last = entries.at(-1);
    if (this.#entry === entries.length - 1 && last?.side === "answer") return;
    this.#told.clear();
    this.#entry = last?.side === "answer" ? entries.length - 1 : entries.length;
    if (last?.side === "answer") for (const item of last.items) this.#newOf(item, "ready", words);
  }

  #newOf(item: Item, status: Status, words: Words): string[] {
    const { key, part } = item;
    if (part.type === "text") {
      const from = Number(this.#told.get(key) ?? 0);
      const end = status === "ready" ? part.text.length : tellableEnd(part.text, from);
      this.#told.set(key, end);
      const text = spoken(part.text.slice(from, end));
      return text === "" ? [] : [text];
    }
    const news = this.#stateOf(item, status !== "ready", words);
    if (news === undefined || this.#told.get(key) === news) return [];
    this.#told.set(key, news);
    return [news];
  }

  #stateOf(item: Item, isLive: boolean, words: Words): string | undefined {
    const { part } = item;
    if (part.type === "input-request" && !item.answer && !item.result)
      return [words.saysQuestion, part.message].filter(Boolean).join(" ");
    if (part.type === "error") return `${words.failedAnswer}: ${part.message}`;
    const call = part.type === "approval-request" ? part.call : part;
    if (call?.type !== "tool-call") return undefined;
    const name = call.title ?? call.name;
    switch (stateOf(call, item, isLive)) {
      case "running":
      case "approved":
        return words.saysCalling(name);
      case "done":
        return words.saysResult(name);
      case "failed":
      case "denied":
      case "interrupted":
        return words.saysFailed(name);
      case "waiting":
        return words.saysApproval(name);
      default:
        return undefined;
    }
  }
}
