/** What the keys of upload records in the browser's storage begin with; a record's id follows. */
export const recordKeyPrefix = 'mayfly.upload.'
