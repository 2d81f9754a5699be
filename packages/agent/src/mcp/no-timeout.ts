/** Milliseconds for requests of the SDK that somebody else puts an end to: the largest timer there is. */
export const noTimeout = 2 ** 31 - 1;
