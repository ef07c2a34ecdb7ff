/**
 * Returns an error without the values of a failed query, as it may be written to a log. Such values
 * are mail addresses, hashes of passwords or tokens of sessions. Both drizzle and Postgres put them
 * into their errors. The error's causes are cleaned too. The statement, the code, and the names of
 * tables, columns and constraints stay.
 */
export function redactQuery(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const message = messageOf(error)
  const told = {
    ...(isOfDrizzle(error) || isOfPostgres(error) ? factsWithoutValues(error) : error),
    message,
    stack: stackWith(message, error),
    cause: redactQuery(error.cause),
  }
  return Object.assign(Object.create(Object.getPrototypeOf(error)), told)
}

/** Returns the message of what was thrown, without the values of a failed query. */
export function redactedMessage(error: unknown): string {
  return error instanceof Error ? messageOf(error) : String(error)
}

/**
 * Returns the message of what was thrown, and after it the names and messages of its causes. All
 * are without the values of a failed query, and without the queries of URLs, in which a signature
 * may be.
 */
export function redactedCauses(error: unknown): string {
  const causes: string[] = []
  let cause = error instanceof Error ? error.cause : undefined
  while (cause !== undefined && causes.length < mostCauses) {
    causes.push(causeText(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  const story = [redactedMessage(error), ...causes].join(', because of ')
  return story.replaceAll(/(https?:\/\/[^\s?]*)\?\S*/g, '$1?…')
}

/** An error can be its own cause, by mistake. */
const mostCauses = 5

function causeText(cause: unknown): string {
  const { name = '', code = '' } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {}
  // The error of a connection that failed at each address of a host has no message.
  return [name, redactedMessage(cause) || code].filter((part) => part !== '').join(': ')
}

// The errors of drizzle and of Postgres are recognised by their properties. `instanceof` would miss
// an error from another copy of the library.

function isOfDrizzle(error: Error): error is Error & { query: string } {
  return 'query' in error && 'params' in error
}

function isOfPostgres(error: Error): error is Error & { code: string } {
  return 'severity' in error && 'routine' in error
}

/** Returns the properties of an error, without those in which drizzle and Postgres put values. */
function factsWithoutValues(error: Error): object {
  const { params, detail, where, internalQuery, ...facts } = error as Error &
    Partial<Record<'params' | 'detail' | 'where' | 'internalQuery', unknown>>
  return facts
}

/**
 * The SQLSTATE of an error about a wrong value begins with this. The message of such an error
 * contains the value.
 */
const dataException = '22'

function messageOf(error: Error): string {
  if (isOfDrizzle(error)) return `Failed query: ${error.query}`
  const isOfValue = isOfPostgres(error) && error.code.startsWith(dataException)
  return isOfValue ? error.message.replace(/".*"/s, '"…"') : error.message
}

/** Returns the stack of an error, with another message in place of its own. */
function stackWith(message: string, { message: old, name, stack = '' }: Error): string {
  const at = stack.indexOf(old)
  const frames = at < 0 ? '' : stack.slice(at + old.length)
  return `${name}: ${message}${frames}`
}

/**
 * What a mail address may look like, also as a part of a path or in an answer of a mail server. The
 * length is limited, so that a long text does not take long to search.
 */
const address = /(?:"[^"\n]{1,254}"|[^\s<>"'`()[\],;:/\\@]{1,254})@[^\s<>"'`()[\],;:/\\@]+/g

/**
 * A list or an object that lies inside this many others becomes `…`. Without this limit,
 * `redactAddresses` would not end where objects refer to each other in a circle.
 */
const deepest = 6

/**
 * Returns a copy of a value that is to be logged, with `…@…` in place of every mail address: in
 * texts, in lists and in the fields of objects and errors.
 */
export function redactAddresses(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(address, '…@…')
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  if (depth === deepest) return '…'
  const cleaned = (inner: unknown) => redactAddresses(inner, depth + 1)
  if (Array.isArray(value)) return value.map(cleaned)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cleaned(name), cleaned(inner)]),
  )
}
