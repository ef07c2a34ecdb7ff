/** The error codes of a full disk or quota, from the file system or from Postgres. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/**
 * Tells whether an error, or one of its causes, comes from a full disk or quota: in the file
 * system, or in the database.
 */
export function isDiskFull(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if ('code' in fault && fullCodes.has(fault.code)) return true
  }
  return false
}
