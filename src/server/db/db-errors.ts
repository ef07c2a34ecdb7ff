/**
 * SQLSTATEs, or their prefixes, of outages that startup retries, such as a database that is
 * starting or stopping.
 */
const transientSqlStates = ['08', '53300', '57P01', '57P02', '57P03', '57P05']
/**
 * SQLSTATEs, or their prefixes, of outages that startup doesn't retry: disk full, out of memory,
 * overload, read-only, access denied.
 */
const permanentSqlStates = [
  ...['25006', '25P03', '25P04', '28', '3D000', '53000', '53100', '53200', '53400'],
  ...['55P03', '57014', '57P04', '58000', '58030'],
]
const networkCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]
/**
 * Error codes that mean an outage only if `connect` failed, because file access can cause them too.
 */
const tooManySocketsCodes = ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EAGAIN']
/** Prefixes of the driver's own error messages. These errors have no codes. */
const driverMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]
const poolClosedMessage = 'Cannot use a pool after calling end on the pool'

interface Outage {
  /** True if startup should retry, because the outage may be brief. */
  isTransient: boolean
  isConnectionLost: boolean
}

/**
 * Classifies the outage in an error's chain of causes. Returns undefined if the chain contains no
 * outage.
 */
function findOutage(error: unknown): Outage | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const outage = classifyError(cause)
    if (outage) return outage
  }
  return undefined
}

function classifyError(error: NodeJS.ErrnoException & { severity?: string }): Outage | undefined {
  const { code = '', message, severity, syscall } = error
  const startsWithAny = (prefixes: string[], text: string) =>
    prefixes.some((prefix) => text.startsWith(prefix))
  // Only Postgres errors have a severity. After a fatal error, Postgres closes the connection.
  if (severity !== undefined) {
    const isTransient = startsWithAny(transientSqlStates, code)
    if (!isTransient && !startsWithAny(permanentSqlStates, code)) return undefined
    return { isTransient, isConnectionLost: severity !== 'ERROR' }
  }
  const isTransient =
    networkCodes.includes(code) ||
    (code === 'ENOENT' && syscall === 'connect') ||
    startsWithAny(driverMessages, message)
  const isPermanent =
    (tooManySocketsCodes.includes(code) && syscall === 'connect') ||
    message.startsWith(poolClosedMessage)
  return isTransient || isPermanent ? { isTransient, isConnectionLost: true } : undefined
}

/**
 * True if the error means that the database is unavailable, which the API reports as 503. Any other
 * error is a bug.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return findOutage(error) !== undefined
}

/** True if the error means that the connection can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  return findOutage(error)?.isConnectionLost === true
}

/** True if the error may be temporary, because the database or the network is still starting. */
export function isTransient(error: unknown): boolean {
  return findOutage(error)?.isTransient === true
}

const foreignKeyViolation = '23503'

/** True if a row was rejected because an administrator deleted its user during the request. */
export function isUserDeleted(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint } = cause as Error & { code?: unknown; constraint?: unknown }
    const isUserMissing =
      code === foreignKeyViolation && String(constraint).endsWith('_users_id_fk')
    // Deleting a user who still has rows fails with the same code, but that would be a bug.
    if (isUserMissing && cause.message.startsWith('insert or update')) return true
  }
  return false
}
