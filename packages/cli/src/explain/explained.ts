import { type Conversation, formatPath } from "translogue";
import { type Explanation, explain, targets } from "translogue/targets";
import { withModel } from "../endpoints/endpoint.ts";
import { errorTextsOf } from "./error-text.ts";

export interface Asked {
  /** Absent = whoever says so. */
  readonly target?: string | undefined;
  readonly model?: string | undefined;
  readonly conversation?: Conversation | undefined;
}

/** One meaning of an error, and every endpoint that says it so. */
export interface Meaning extends Omit<Explanation, "target" | "path"> {
  readonly endpoints: readonly string[];
  /** As `formatPath` writes it. */
  readonly path?: string;
}

/** What an error of a provider may mean, one for each rule. Empty where nothing is known of it. */
export function meaningsOf(text: string, { target, model, conversation }: Asked): readonly Meaning[] {
  const texts = errorTextsOf(text);
  const meanings = new Map<string, Meaning>();
  for (const id of target === undefined ? targets.map(each => each.id) : [target]) {
    const options = { target: id, ...withModel(model), ...(conversation && { conversation }) };
    const found = firstOf(texts, each => explain(each, options));
    if (!found) continue;
    const { target: endpoint, path, ...meaning } = found;
    const known = meanings.get(found.rule);
    meanings.set(
      found.rule,
      known
        ? { ...known, endpoints: [...known.endpoints, endpoint] }
        : { ...meaning, ...(path && { path: formatPath(path) }), endpoints: [endpoint] },
    );
  }
  return [...meanings.values()];
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
