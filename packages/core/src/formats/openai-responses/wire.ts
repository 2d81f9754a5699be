import { responses } from "../../blocks/openai-responses/node.ts";

/** Family of bodies, messages and items alike. */
export const family = responses;

export const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Of the error of an answer: after whatever it holds. */
export const errorPlace = 1e14;
