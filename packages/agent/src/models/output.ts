import type { Event } from "translogue";

/** Whatever a reader would have to be told to forget, should another answer take its place. */
export const isOutput = (event: Event): boolean =>
  event.type !== "message-start" && event.type !== "message-set" && event.type !== "error";
