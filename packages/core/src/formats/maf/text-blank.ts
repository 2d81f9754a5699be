const blank = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

/** Whether .NET's `IsNullOrWhiteSpace` takes a text for blank; false for anything else. */
export const isBlank = (value: unknown): boolean => typeof value === "string" && blank.test(value);
