/** The SQLSTATE of a row that refers to another row, which is not there. */
const foreignKeyViolation = '23503'

/**
 * Tells whether a row could not be written because the user it belongs to no longer exists: the
 * administrator has deleted the user since the request began.
 */
export function isUserGone(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (isOfMissingUser(fault)) return true
  }
  return false
}

function isOfMissingUser(fault: Error): boolean {
  const { code, constraint } = fault as Error & { code?: unknown; constraint?: unknown }
  return (
    code === foreignKeyViolation &&
    typeof constraint === 'string' &&
    constraint.endsWith('_users_id_fk') &&
    // The other kind of violation is a fault of ours: a user was deleted before what is theirs.
    fault.message.startsWith('insert or update')
  )
}
