/** The SQLSTATE of a broken foreign key: a row refers to a row that does not exist. */
const foreignKeyViolation = '23503'

/**
 * Tells whether the database refused a row because its user no longer exists. The administrator has
 * then deleted the user while the request was running.
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
    // The same error also says that a user was deleted before the rows that belong to the user.
    // That is a fault in our code, so it does not count here.
    fault.message.startsWith('insert or update')
  )
}
