/**
 * Removes the values of a failed query, such as email addresses, password hashes or session tokens,
 * from an error and its causes. Keeps the statement, the code and the names of tables, columns and
 * constraints.
 */
export function redactQuery(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const message = messageWithoutValues(error)
  const redacted = {
    ...(isDrizzleError(error) || isPostgresError(error) ? omitValues(error) : error),
    message,
    stack: replaceMessage(message, error),
    cause: redactQuery(error.cause),
  }
  return Object.assign(Object.create(Object.getPrototypeOf(error)), redacted)
}

/** Returns an error's message without the values of a failed query. */
export function redactedMessage(error: unknown): string {
  return error instanceof Error ? messageWithoutValues(error) : String(error)
}

/**
 * Returns the messages of an error and its causes. Leaves out the values of database queries, and
 * the query strings of URLs, which can contain signatures.
 */
export function redactedMessages(error: unknown): string {
  const causes: string[] = []
  let cause = error instanceof Error ? error.cause : undefined
  while (cause !== undefined && causes.length < maxCauses) {
    causes.push(causeText(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  const messagesText = [redactedMessage(error), ...causes].join(', caused by ')
  return messagesText.replaceAll(/(https?:\/\/[^\s?]*)\?\S*/g, '$1?…')
}

/** Stops at this depth, because a chain of causes can be circular. */
const maxCauses = 5

function causeText(cause: unknown): string {
  const { name = '', code = '' } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {}
  // If a host has several addresses and all fail, Node's error has no message.
  return [name, redactedMessage(cause) || code].filter((part) => part !== '').join(': ')
}

// `instanceof` would miss errors from another copy of the library.

function isDrizzleError(error: Error): error is Error & { query: string } {
  return 'query' in error && 'params' in error
}

function isPostgresError(error: Error): error is Error & { code: string } {
  return 'severity' in error && 'routine' in error
}

/** Omits the properties that drizzle and Postgres put values in. */
function omitValues(error: Error): object {
  const { params, detail, where, internalQuery, ...safeFields } = error as Error &
    Partial<Record<'params' | 'detail' | 'where' | 'internalQuery', unknown>>
  return safeFields
}

/** The SQLSTATE class of errors whose message contains a value. */
const dataExceptionClass = '22'

function messageWithoutValues(error: Error): string {
  if (isDrizzleError(error)) return `Failed query: ${error.query}`
  const hasInvalidValue = isPostgresError(error) && error.code.startsWith(dataExceptionClass)
  return hasInvalidValue ? error.message.replace(/".*"/s, '"…"') : error.message
}

/** Returns an error's stack with its message replaced. */
function replaceMessage(message: string, { message: oldMessage, name, stack = '' }: Error): string {
  const messageStart = stack.indexOf(oldMessage)
  const frames = messageStart < 0 ? '' : stack.slice(messageStart + oldMessage.length)
  return `${name}: ${message}${frames}`
}

/**
 * Matches email addresses in linear time, including those in paths and in mail servers' replies.
 */
const address = /(?:"[^"\n]{1,254}"|[^\s<>"'`()[\],;:/\\@]{1,254})@[^\s<>"'`()[\],;:/\\@]+/g

/** Objects nested deeper than this become `…`, because the value may be circular. */
const maxDepth = 6

/** Returns a deep copy with every email address replaced by `…@…`. */
export function redactAddresses(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(address, '…@…')
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  if (depth === maxDepth) return '…'
  const redact = (inner: unknown) => redactAddresses(inner, depth + 1)
  if (Array.isArray(value)) return value.map(redact)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), redact(inner)]),
  )
}
