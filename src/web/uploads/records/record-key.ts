/**
 * The prefix of the keys of upload records in the browser's storage. The id of the record follows
 * it.
 */
export const recordKeyPrefix = 'mayfly.upload.'
