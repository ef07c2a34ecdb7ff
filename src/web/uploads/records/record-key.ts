/** The prefix of the localStorage keys of upload records. The id of the record follows it. */
export const recordKeyPrefix = 'mayfly.upload.'
