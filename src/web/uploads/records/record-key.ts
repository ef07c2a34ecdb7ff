/** Prefix of the localStorage keys of upload records, followed by the record ID. */
export const recordKeyPrefix = 'mayfly.upload.'
