import type { Totals } from "./groups.ts";

/** Whether something is to be done, by what there is. */
export type Trigger = (totals: Totals) => boolean;

export const always: Trigger = () => true;
export const never: Trigger = () => false;
export const hasToolCalls: Trigger = ({ toolCalls }) => toolCalls > 0;

export const tokensExceed =
  (limit: number): Trigger =>
  ({ tokens }) =>
    tokens > limit;

export const tokensBelow =
  (limit: number): Trigger =>
  ({ tokens }) =>
    tokens < limit;

export const messagesExceed =
  (limit: number): Trigger =>
  ({ messages }) =>
    messages > limit;

export const turnsExceed =
  (limit: number): Trigger =>
  ({ turns }) =>
    turns > limit;

export const groupsExceed =
  (limit: number): Trigger =>
  ({ groups }) =>
    groups > limit;

/** Every one of them; of none it holds. */
export const allOf =
  (...triggers: readonly Trigger[]): Trigger =>
  totals =>
    triggers.every(trigger => trigger(totals));

export const anyOf =
  (...triggers: readonly Trigger[]): Trigger =>
  totals =>
    triggers.some(trigger => trigger(totals));

export const not =
  (trigger: Trigger): Trigger =>
  totals =>
    !trigger(totals);
