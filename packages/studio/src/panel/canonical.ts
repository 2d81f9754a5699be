/** The conversation as we have it, without a format around it. */
export const canonical = "canonical";
