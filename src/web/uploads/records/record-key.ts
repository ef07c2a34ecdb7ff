/** The prefix of an upload record's localStorage key, followed by the record ID. */
export const recordKeyPrefix = 'mayfly.upload.'

/** Returns whether this browser has upload records, of any user. */
export function hasRecords(): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(recordKeyPrefix))
  } catch {
    // localStorage is blocked, so this browser has no upload records.
    return false
  }
}
