/** The keys of upload records in the browser's storage begin so. The id of the record follows. */
export const recordKeyPrefix = 'mayfly.upload.'
