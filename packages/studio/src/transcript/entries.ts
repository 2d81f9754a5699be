import type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  FinishReason,
  InputRequestPart,
  InputResponsePart,
  Message,
  Part,
  ToolResultPart,
  Usage,
} from "translogue";

/** What belongs to a part and stands elsewhere in the conversation. */
export interface Belongings {
  /** Of a call. */
  readonly result?: ToolResultPart;
  readonly request?: ApprovalRequestPart;
  readonly response?: ApprovalResponsePart;
  /** What a call asked last. */
  readonly question?: InputRequestPart;
  /** Of a question, and of the call that asked it. */
  readonly answer?: InputResponsePart;
}

export interface Item extends Belongings {
  readonly key: string;
  readonly part: Part;
}

/** One turn of one side, as it is read: an answer is all that the assistant and its tools said and did. */
export interface Entry {
  readonly side: "user" | "answer" | "note";
  readonly messages: readonly Message[];
  readonly items: readonly Item[];
}

const sides: { readonly [role: string]: Entry["side"] } = { user: "user", assistant: "answer", tool: "answer" };

/** Messages → entries, in one pass. */
export function entriesOf(messages: readonly Message[]): readonly Entry[] {
  const groups: { side: Entry["side"]; messages: Message[] }[] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const side = sides[message.role] ?? "note";
    if (last && last.side === "answer" && (side === "answer" || isWordOnly(message))) last.messages.push(message);
    else groups.push({ side, messages: [message] });
  }
  return groups.map(group => ({ ...group, items: itemsOf(group.messages) }));
}

/** A message that only says what a person decided belongs to the answer that asked. */
export const isWordOnly = ({ role, parts }: Message): boolean =>
  role === "user" &&
  parts.length > 0 &&
  parts.every(({ type }) => type === "approval-response" || type === "input-response");

/** Entries with the answer behind them that is being written: only what it touches is made anew. */
export function withLive(settled: readonly Entry[], live: readonly Message[]): readonly Entry[] {
  if (live.length === 0) return settled;
  const last = settled.at(-1);
  if (last?.side !== "answer") return [...settled, ...entriesOf(live)];
  return [...settled.slice(0, -1), ...entriesOf([...last.messages, ...live])];
}

interface Draft {
  readonly key: string;
  readonly part: Part;
  result?: ToolResultPart;
  request?: ApprovalRequestPart;
  response?: ApprovalResponsePart;
  question?: InputRequestPart;
  answer?: InputResponsePart;
}

/** The parts of an answer, results and approvals with the calls that they are about. */
function itemsOf(messages: readonly Message[]): readonly Item[] {
  const drafts: Draft[] = [];
  const pairing = new Pairing();
  for (const [index, message] of messages.entries()) {
    for (const [place, part] of message.parts.entries()) {
      if (pairing.takes(part)) continue;
      const draft: Draft = { key: `${index}.${place}`, part };
      pairing.add(draft);
      drafts.push(draft);
    }
  }
  return drafts;
}

class Pairing {
  /** Calls by id, in order; a result answers the first that has none (R9). */
  readonly #calls = new Map<string, Draft[]>();
  readonly #requests = new Map<string, Draft>();
  readonly #questions = new Map<string, { readonly draft: Draft; readonly call: Draft | undefined }>();

  add(draft: Draft): void {
    const { part } = draft;
    if (part.type === "tool-call") {
      const calls = this.#calls.get(part.callId);
      if (calls) calls.push(draft);
      else this.#calls.set(part.callId, [draft]);
    } else if (part.type === "approval-request") {
      draft.request = part;
      this.#requests.set(part.requestId, draft);
      // The call that is held back inside has its result here too (R22).
      if (part.call && !this.#calls.has(part.callId)) this.#calls.set(part.callId, [draft]);
    } else if (part.type === "input-request") {
      const call = this.#calls.get(part.callId ?? "")?.findLast(({ result }) => !result || result.preliminary === true);
      this.#questions.set(part.requestId, { draft, call });
      if (!call) return;
      call.question = part;
      delete call.answer;
    }
  }

  /** Whether the part stands with another one, and is not shown by itself. */
  takes(part: Part): boolean {
    switch (part.type) {
      case "tool-result":
        return this.#takesResult(part);
      case "approval-request": {
        const call = this.#calls.get(part.callId)?.findLast(({ request }) => request === undefined);
        if (!call) return false;
        call.request = part;
        this.#requests.set(part.requestId, call);
        return true;
      }
      case "approval-response": {
        const asked = this.#requests.get(part.requestId);
        if (!asked) return false;
        asked.response = part;
        return true;
      }
      case "input-response":
        return this.#takesAnswer(part);
      default:
        return false;
    }
  }

  #takesAnswer(part: InputResponsePart): boolean {
    const asked = this.#questions.get(part.requestId);
    if (!asked) return false;
    asked.draft.answer = part;
    if (asked.call?.question === asked.draft.part) asked.call.answer = part;
    return true;
  }

  #takesResult(part: ToolResultPart): boolean {
    const calls = this.#calls.get(part.callId);
    const call = calls?.find(({ result }) => result === undefined || result.preliminary === true) ?? calls?.at(-1);
    if (!call) return false;
    call.result = part;
    for (const asked of this.#questions.values()) if (asked.call === call) asked.draft.result = part;
    return true;
  }
}

/** What is said under an answer. */
export interface Facts {
  readonly model?: string;
  readonly isDemo: boolean;
  readonly usage?: { readonly input: number; readonly output: number; readonly reasoning: number };
  /** Where it did not simply end. */
  readonly finish?: FinishReason;
}

export function factsOf(messages: readonly Message[]): Facts {
  const answers = messages.filter(({ role }) => role === "assistant");
  const last = answers.at(-1);
  const model = answers.findLast(message => message.model !== undefined)?.model;
  const usage = usageOf(answers);
  return {
    ...(model !== undefined && { model }),
    isDemo: answers.some(({ metadata }) => isDemo(metadata)),
    ...(usage && { usage }),
    ...(last?.finish && { finish: last.finish.reason }),
  };
}

const isDemo = (metadata: Message["metadata"]): boolean =>
  typeof metadata === "object" && metadata !== null && "demo" in metadata && metadata["demo"] === true;

/** Each answer of a model counts once (R24). */
function usageOf(messages: readonly Message[]): Facts["usage"] {
  const counted = new Set<string>();
  let sum: { input: number; output: number; reasoning: number } | undefined;
  for (const { usage, responseId } of messages) {
    if (!usage || (responseId !== undefined && counted.has(responseId))) continue;
    if (responseId !== undefined) counted.add(responseId);
    const { input = 0, output = 0, reasoning = 0 } = tokensOf(usage);
    sum ??= { input: 0, output: 0, reasoning: 0 };
    sum = { input: sum.input + input, output: sum.output + output, reasoning: sum.reasoning + reasoning };
  }
  return sum;
}

const tokensOf = ({ input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0 }: Usage) => ({
  input: input + cacheRead + cacheWrite,
  output: output + reasoning,
  reasoning,
});

/** What an answer says, as text. */
export const textOf = (messages: readonly Message[]): string =>
  messages
    .flatMap(({ role, parts }) =>
      role === "assistant"
        ? parts.flatMap(part => (part.type === "text" || part.type === "refusal" ? [part.text] : []))
        : [],
    )
    .filter(text => text !== "")
    .join("\n\n");
