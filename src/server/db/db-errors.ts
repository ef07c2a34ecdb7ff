/** SQLSTATEs, or prefixes of them, of a database that may soon be usable: it starts or stops. */
const transientStates = ['08', '53300', '57P01', '57P02', '57P03', '57P05']
/** Those of a database that can't be used: full, out of memory, overloaded, read-only, refused. */
const otherStates = [
  ...['25006', '25P03', '25P04', '28', '3D000', '53000', '53100', '53200', '53400'],
  ...['55P03', '57014', '57P04', '58000', '58030'],
]
const networkCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]
/** Codes that an access to a file can have, too. */
const tooManySocketsCodes = ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EAGAIN']
/** The beginnings of the driver's own messages. Its errors have no codes. */
const driverMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]
const poolClosedMessage = 'Cannot use a pool after calling end on the pool'

/** How the database cannot be used. */
interface Outage {
  /** Whether it may pass soon, so that the server's start retries. */
  isTransient: boolean
  isConnectionLost: boolean
}

/** Returns how an error, or one of its causes, shows an outage; undefined for any other error. */
function outageOf(error: unknown): Outage | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const outage = outageOfOne(cause)
    if (outage) return outage
  }
  return undefined
}

function outageOfOne(error: NodeJS.ErrnoException & { severity?: string }): Outage | undefined {
  const { code = '', message, severity, syscall } = error
  const isOneOf = (prefixes: string[], text: string) =>
    prefixes.some((prefix) => text.startsWith(prefix))
  // Only errors of Postgres have a severity. After a fatal one, it closes the connection.
  if (severity !== undefined) {
    const isTransient = isOneOf(transientStates, code)
    if (!isTransient && !isOneOf(otherStates, code)) return undefined
    return { isTransient, isConnectionLost: severity !== 'ERROR' }
  }
  const isTransient =
    networkCodes.includes(code) ||
    (code === 'ENOENT' && syscall === 'connect') ||
    isOneOf(driverMessages, message)
  const isOther =
    (tooManySocketsCodes.includes(code) && syscall === 'connect') ||
    message.startsWith(poolClosedMessage)
  return isTransient || isOther ? { isTransient, isConnectionLost: true } : undefined
}

/** True for an error that is answered with 503. Any other error is a bug. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return outageOf(error) !== undefined
}

/** True if no further statement can be sent on the connection. */
export function isConnectionLost(error: unknown): boolean {
  return outageOf(error)?.isConnectionLost === true
}

/** True if the database, or the network to it, may still be starting. */
export function isTransient(error: unknown): boolean {
  return outageOf(error)?.isTransient === true
}

const foreignKeyViolation = '23503'

/** True if a row was refused because an administrator deleted its user during the request. */
export function isUserDeleted(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint } = cause as Error & { code?: unknown; constraint?: unknown }
    const isUserMissing =
      code === foreignKeyViolation && String(constraint).endsWith('_users_id_fk')
    // A user that is deleted before its rows gives the same code, but that would be a bug.
    if (isUserMissing && cause.message.startsWith('insert or update')) return true
  }
  return false
}
