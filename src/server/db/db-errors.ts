/** A kind of error that shows that the database cannot be used now. */
interface ErrorKind {
  /** The driver's errors have no code and are recognized by their text. */
  source: 'postgres' | 'network' | 'driver'
  /** Prefixes of a SQLSTATE, error codes of Node, or the first words of the driver's message. */
  matches: readonly string[]
  /** The failed system call, for network codes that a file access can have too. */
  syscall?: 'connect'
  /** Whether the error may pass while the database starts, so that the server's start retries. */
  isTransient?: true
  /** Whether Postgres closes the connection. For the network and the driver, that is a given. */
  endsConnection?: true
}

/** A request that meets one of these is answered with 503. Any other error is a bug. */
export const errorKinds = {
  connectionFailure: { source: 'postgres', matches: ['08'], isTransient: true },
  diskFull: { source: 'postgres', matches: ['53100'] },
  outOfMemory: { source: 'postgres', matches: ['53000', '53200', '53400'] },
  tooManyConnections: {
    source: 'postgres',
    matches: ['53300'],
    isTransient: true,
    endsConnection: true,
  },
  lockTimeout: { source: 'postgres', matches: ['55P03'] },
  statementTimeout: { source: 'postgres', matches: ['57014'] },
  transactionTimeout: { source: 'postgres', matches: ['25P03', '25P04'], endsConnection: true },
  shuttingDown: {
    source: 'postgres',
    matches: ['57P01', '57P02', '57P05'],
    isTransient: true,
    endsConnection: true,
  },
  startingUp: { source: 'postgres', matches: ['57P03'], isTransient: true, endsConnection: true },
  databaseMissing: { source: 'postgres', matches: ['57P04', '3D000'], endsConnection: true },
  notAuthorized: { source: 'postgres', matches: ['28'], endsConnection: true },
  // The database is a standby, or became one while we were connected.
  readOnly: { source: 'postgres', matches: ['25006'] },
  ioError: { source: 'postgres', matches: ['58000', '58030'] },

  connectionRefused: { source: 'network', matches: ['ECONNREFUSED'], isTransient: true },
  socketMissing: { source: 'network', matches: ['ENOENT'], syscall: 'connect', isTransient: true },
  connectionReset: {
    source: 'network',
    matches: ['ECONNRESET', 'ECONNABORTED', 'EPIPE'],
    isTransient: true,
  },
  connectionTimedOut: { source: 'network', matches: ['ETIMEDOUT'], isTransient: true },
  unreachable: {
    source: 'network',
    matches: ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
    isTransient: true,
  },
  hostNotFound: { source: 'network', matches: ['ENOTFOUND', 'EAI_AGAIN'], isTransient: true },
  tooManySockets: {
    source: 'network',
    matches: ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EAGAIN'],
    syscall: 'connect',
  },

  connectionTerminated: {
    source: 'driver',
    matches: ['Connection terminated'],
    isTransient: true,
  },
  connectTimeout: {
    source: 'driver',
    matches: ['timeout exceeded when trying to connect', 'timeout expired'],
    isTransient: true,
  },
  queryTimeout: { source: 'driver', matches: ['Query read timeout'], isTransient: true },
  notQueryable: {
    source: 'driver',
    matches: [
      'Client has encountered a connection error and is not queryable',
      'Client was closed and is not queryable',
    ],
    isTransient: true,
  },
  poolClosed: {
    source: 'driver',
    matches: ['Cannot use a pool after calling end on the pool'],
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorKindName = keyof typeof errorKinds

const kinds: readonly [string, ErrorKind][] = Object.entries(errorKinds)

/** Returns the kind of an error, or of one of its causes; null for any other error. */
export function errorKindOf(error: unknown): ErrorKindName | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    for (const [name, kind] of kinds) {
      if (isOfKind(cause, kind)) return name as ErrorKindName
    }
  }
  return null
}

export function isDatabaseUnavailable(error: unknown): boolean {
  return errorKindOf(error) !== null
}

/** True if no further statement can be sent on the connection. */
export function isConnectionLost(error: unknown): boolean {
  const name = errorKindOf(error)
  if (name === null) return false
  const kind: ErrorKind = errorKinds[name]
  return kind.source !== 'postgres' || kind.endsConnection === true
}

/** True if the database, or the network to it, may still be starting. */
export function isTransient(error: unknown): boolean {
  const name = errorKindOf(error)
  if (name === null) return false
  const kind: ErrorKind = errorKinds[name]
  return kind.isTransient === true
}

function isOfKind(error: Error, { source, matches, syscall }: ErrorKind): boolean {
  if (source === 'driver') return matches.some((text) => error.message.startsWith(text))
  const { code, syscall: failed } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') return false
  // Only errors of Postgres have a severity.
  if (source === 'postgres') {
    return 'severity' in error && matches.some((prefix) => code.startsWith(prefix))
  }
  return matches.includes(code) && (syscall === undefined || failed === syscall)
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
