/** The prefix of an upload record's localStorage key, followed by the record ID. */
export const recordKeyPrefix = 'mayfly.upload.'
