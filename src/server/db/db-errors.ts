/** One kind of error that shows that the database cannot be used now. */
interface Sign {
  /**
   * Where the error comes from: Postgres itself, the network, or the driver. The driver's errors
   * have no code and are recognised by their text.
   */
  from: 'postgres' | 'network' | 'driver'
  /**
   * What must be in the error. For `postgres`: the first characters of its SQLSTATE. For `network`:
   * one of Node's error codes. For `driver`: the first words of its message.
   */
  looks: readonly string[]
  /**
   * The system call that must have failed. It is given for network codes that a failed file access
   * can have too, because such an error says nothing about the database.
   */
  call?: 'connect'
  /**
   * True if such an error may stop by itself while the database starts. The start of the server
   * then waits and tries again.
   */
  passes: boolean
  /**
   * True if Postgres ends the connection with such an error, or refuses a new one. Errors of the
   * network and of the driver always mean that there is no connection to use.
   */
  ends?: true
}

/**
 * Every kind of error that shows that the database cannot be used now. A request that meets one is
 * answered with 503 and may be tried again. Any other error counts as a fault of the server.
 */
export const signs = {
  connectionLost: { from: 'postgres', looks: ['08'], passes: true },
  diskFull: { from: 'postgres', looks: ['53100'], passes: false },
  outOfMemory: { from: 'postgres', looks: ['53000', '53200', '53400'], passes: false },
  tooManyConnections: { from: 'postgres', looks: ['53300'], passes: true, ends: true },
  lockTimeout: { from: 'postgres', looks: ['55P03'], passes: false },
  statementTimeout: { from: 'postgres', looks: ['57014'], passes: false },
  transactionTimeout: { from: 'postgres', looks: ['25P03', '25P04'], passes: false, ends: true },
  stopping: { from: 'postgres', looks: ['57P01', '57P02', '57P05'], passes: true, ends: true },
  startingUp: { from: 'postgres', looks: ['57P03'], passes: true, ends: true },
  dropped: { from: 'postgres', looks: ['57P04', '3D000'], passes: false, ends: true },
  refusesUs: { from: 'postgres', looks: ['28'], passes: false, ends: true },
  // The database is a standby, which takes no writes, or became one while we were connected.
  readOnly: { from: 'postgres', looks: ['25006'], passes: false },
  diskFault: { from: 'postgres', looks: ['58000', '58030'], passes: false },

  nobodyListens: { from: 'network', looks: ['ECONNREFUSED'], passes: true },
  noSocket: { from: 'network', looks: ['ENOENT'], call: 'connect', passes: true },
  cut: { from: 'network', looks: ['ECONNRESET', 'ECONNABORTED', 'EPIPE'], passes: true },
  noAnswer: { from: 'network', looks: ['ETIMEDOUT'], passes: true },
  noWay: {
    from: 'network',
    looks: ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
    passes: true,
  },
  noName: { from: 'network', looks: ['ENOTFOUND', 'EAI_AGAIN'], passes: true },
  noMoreSockets: {
    from: 'network',
    looks: ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EAGAIN'],
    call: 'connect',
    passes: false,
  },

  ended: { from: 'driver', looks: ['Connection terminated'], passes: true },
  connectTimeout: {
    from: 'driver',
    looks: ['timeout exceeded when trying to connect', 'timeout expired'],
    passes: true,
  },
  answerTimeout: { from: 'driver', looks: ['Query read timeout'], passes: true },
  notQueryable: {
    from: 'driver',
    looks: [
      'Client has encountered a connection error and is not queryable',
      'Client was closed and is not queryable',
    ],
    passes: true,
  },
  closing: {
    from: 'driver',
    looks: ['Cannot use a pool after calling end on the pool'],
    passes: false,
  },
} as const satisfies Record<string, Sign>

export type SignName = keyof typeof signs

/**
 * Returns the name of the sign that fits the error. The causes of the error are checked too,
 * because libraries wrap the driver's errors. Returns null if no sign fits.
 */
export function signOf(error: unknown): SignName | null {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    for (const [name, sign] of Object.entries(signs)) {
      if (isSign(fault, sign)) return name as SignName
    }
  }
  return null
}

/** Tells whether the error shows that the database cannot be used now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return signOf(error) !== null
}

/** Tells whether the connection is lost or gives no answer. Then no statement can be sent on it. */
export function isConnectionLost(error: unknown): boolean {
  const name = signOf(error)
  if (name === null) return false
  const sign: Sign = signs[name]
  return sign.from !== 'postgres' || sign.ends === true
}

/**
 * Tells whether the start of the server should wait, because the database or the network to it may
 * still be starting.
 */
export function isTransient(error: unknown): boolean {
  const name = signOf(error)
  return name !== null && signs[name].passes
}

function isSign(fault: Error, { from, looks, call }: Sign): boolean {
  if (from === 'driver') return looks.some((words) => fault.message.startsWith(words))
  if (!('code' in fault) || typeof fault.code !== 'string') return false
  const { code } = fault
  // Every error of Postgres has a severity, and no other error has one.
  if (from === 'postgres') return 'severity' in fault && looks.some((part) => code.startsWith(part))
  return looks.includes(code) && (call === undefined || isOfCall(fault, call))
}

function isOfCall(fault: Error, call: string): boolean {
  return 'syscall' in fault && fault.syscall === call
}

/** The SQLSTATE of a broken foreign key: a row refers to a row that does not exist. */
const foreignKeyViolation = '23503'

/**
 * Tells whether the database refused a row because its user no longer exists. The administrator has
 * then deleted the user while the request was running.
 */
export function isUserDeleted(error: unknown): boolean {
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
