/** The dialect asked of the server: the newest, so that everything arrives. */
export const dialect = "v7";
export const generation = 7;
