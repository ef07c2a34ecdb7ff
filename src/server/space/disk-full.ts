/** What says that there is no room: a file system, a quota, a Postgres on either. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/** Whether an error, or what caused it, is a disk or a quota without room, here or under the database. */
export function isDiskFull(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if ('code' in fault && fullCodes.has(fault.code)) return true
  }
  return false
}
