import type { Message } from "translogue";
import type { Agent } from "../agent.ts";
import { failure } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { isAskedAt } from "../models/fallback.ts";
import { isModel } from "../options.ts";
import { checkPriced } from "../policy.ts";
import { type AgentSession, shownIn } from "../session.ts";
import type { RunState } from "./state.ts";
import type { RunTask } from "./task.ts";

/** A model call that is about to be made. */
export interface StepContext {
  readonly agent: Agent;
  readonly session: AgentSession;
  /** Id of the run. */
  readonly run: string;
  /** 1 for the run's first model call. */
  readonly step: number;
  /** The run's. */
  readonly model: Model;
  /** All that is said in the session, this run's steps so far included. */
  readonly messages: readonly Message[];
}

/** Which model a step is to be made by; undefined: the run's. */
export type StepModel = (context: StepContext) => Model | undefined | Promise<Model | undefined>;

/** `messages`: of the session. Throws `agent/invalid` for what is no model, and for one whose price a limit of cost has to know. */
export async function stepModel(
  { agent, session, model, modelFor: choose }: RunTask,
  { run, step, policy }: RunState,
  messages: () => readonly Message[],
): Promise<Model> {
  const context: StepContext = {
    ...{ agent, session, run, step, model },
    get messages() {
      return shownIn(session, messages());
    },
  };
  const chosen = (await choose?.(context)) ?? model;
  if (!isModel(chosen))
    throw failure("agent/invalid", "`modelFor` gave no model: give an object with `stream`, or nothing");
  checkPriced(chosen, policy.spending);
  return chosen;
}

/** Throws `token/invalid` where an answer that goes on at one provider is asked for at another, which knows no such answer. */
export function checkHolder(model: Model, { continuationProvider: provider }: ModelRequest): void {
  if (provider === undefined || isAskedAt(provider, model)) return;
  const asked = `its answer goes on at \`${provider}\`, and \`${model.provider}\` was asked for it`;
  throw failure(
    "token/invalid",
    `${asked}: give a model of \`${provider}\`, or say something new, which closes the run`,
  );
}

/** Throws `agent/invalid` where a middleware gives a model what was written for a provider that keeps the conversation. */
export function checkReader(model: Model, asked: Model, { conversationId }: ModelRequest): void {
  if (conversationId === undefined || model.provider === asked.provider) return;
  const kept = `the conversation is kept by \`${asked.provider}\`, and \`${model.provider}\` has not read it`;
  throw failure("agent/invalid", `${kept}: choose the model by \`modelFor\`, not by a middleware`);
}
