const day = 24 * 60 * 60 * 1000;

/** How long the results of runs are kept where nobody says otherwise: for a week, in milliseconds. */
export const keptMs = 7 * day;
