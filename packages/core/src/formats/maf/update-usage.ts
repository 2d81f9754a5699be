import { TranslogueError } from "../../model/error.ts";
import type { ExactText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { Counts, membersOf, objectOf } from "./update-dictionary.ts";

const countNames = [
  "inputTokenCount",
  "outputTokenCount",
  "totalTokenCount",
  "cachedInputTokenCount",
  "reasoningTokenCount",
  "inputAudioTokenCount",
  "inputTextTokenCount",
  "outputAudioTokenCount",
  "outputTextTokenCount",
] as const;

/** `UsageDetails` added up: a count that none has stays absent, one that some have counts as 0 in the others. */
export class UsageSum {
  readonly #counts = new Counts();
  #additional: Counts | undefined;

  add(details: Json | undefined, exact: ExactText | undefined): void {
    if (!isJsonObject(details)) refuse("it has no `details`");
    for (const member of membersOf(details, exact)) {
      if (member.value !== null && isCountName(member.key)) this.#counts.add(member, refuse);
    }
    const { additionalCounts } = details;
    if (additionalCounts === undefined || additionalCounts === null) return;
    if (!isJsonObject(additionalCounts)) refuse("`additionalCounts` is no object");
    this.#additional ??= new Counts();
    for (const member of membersOf(additionalCounts, exact)) this.#additional.add(member, refuse);
  }

  details(exact: ExactText | undefined): JsonObject {
    const counts = this.#counts.members(countNames);
    const additional = this.#additional && objectOf(this.#additional.members(), exact);
    return objectOf(additional ? [...counts, { key: "additionalCounts", value: additional }] : counts, exact);
  }
}

const isCountName = (key: string): boolean => countNames.some(name => name === key);

function refuse(why: string): never {
  throw new TranslogueError("decode/not-this-format", `a \`usage\` content cannot be added up: ${why}`);
}
