/** The list given where nothing of it changed, so that whoever keeps it sees that. */
export const sameList = <T>(given: readonly T[], made: readonly T[]): readonly T[] =>
  made.length === given.length && made.every((item, index) => item === given[index]) ? given : made;
