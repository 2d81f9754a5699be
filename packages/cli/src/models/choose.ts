import {
  type EnvironmentModels,
  type EnvironmentOptions,
  findLocalServers,
  type Model,
  modelsFromEnvironment,
} from "@translogue/agent";

export interface Choice {
  /** `demo`, or `provider/model`. */
  readonly model?: string | undefined;
  /** Others that may be asked for. */
  readonly models?: readonly string[] | undefined;
  readonly endpoints?: EnvironmentOptions["endpoints"];
  /** What named them: a flag or a file. */
  readonly by: string;
  /** Milliseconds between two pieces of the demo's answers. */
  readonly paceMs: number;
}

export interface ChosenModels {
  readonly models: EnvironmentModels;
  /** What answers and why, and which keys are there and not used: for people. */
  readonly lines: readonly string[];
}

/** The models of a flag or a file, else of the environment. Throws `model/…` for what does not hold together. */
export function chooseModels(
  env: NodeJS.ProcessEnv,
  { model, models = [], endpoints, by, paceMs }: Choice,
): ChosenModels {
  const named = model === undefined || model === "demo" ? models : [model, ...models.filter(other => other !== model)];
  const isNamed = model !== undefined || models.length > 0;
  const chosen = modelsFromEnvironment(env, {
    ...(isNamed && { models: named }),
    ...(endpoints && { endpoints }),
    demo: { paceMs },
  });
  const isForced = env["TRANSLOGUE_MODEL"]?.trim() === "demo";
  const reason = isForced || !isNamed ? "TRANSLOGUE_MODEL" : by;
  return { models: chosen, lines: [answering(chosen, isForced || isNamed, reason), ...unused(chosen)] };
}

/** A model that a person asks for while they talk, whatever was named before. Throws `model/…` where there is none. */
export function namedModel(env: NodeJS.ProcessEnv, ref: string, paceMs: number): Model {
  const { models } = chooseModels(env, { model: ref, by: "", paceMs });
  return models.isDemo && ref !== "demo" ? models.resolve(ref) : models.resolve();
}

function answering({ isDemo, list }: EnvironmentModels, isNamed: boolean, by: string): string {
  if (!isDemo) return `Model: ${list.map(({ ref }) => ref).join(", ")}, named by ${by}.`;
  if (isNamed) return `Model: the demo, named by ${by}. It needs no key.`;
  return "Model: the demo, because none is named (--model PROVIDER/MODEL or TRANSLOGUE_MODEL does). It needs no key.";
}

/** Model servers of this machine that could answer and do not, where nothing is named; asking takes up to half a second. */
export async function localServers({ isDemo }: EnvironmentModels, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (!isDemo || env["TRANSLOGUE_MODEL"]?.trim()) return [];
  const found = await findLocalServers();
  return found.map(({ provider, title, by, models: [first = "MODEL"] = [] }) => {
    return `${title} runs at ${by}: --model ${provider}/${first} would have it answer.`;
  });
}

/** Each provider that could answer, and does not because nobody named it. */
function unused({ found, list }: EnvironmentModels): string[] {
  return found
    .filter(({ provider }) => !list.some(row => row.provider === provider))
    .map(({ provider, title, by }) => `${by} is set: --model ${provider}/MODEL would have ${title} answer.`);
}
