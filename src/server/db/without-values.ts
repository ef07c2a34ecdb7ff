/**
 * Returns an error without the values of a failed query, as it may be written to a log. Such values
 * are mail addresses, hashes of passwords or tokens of sessions. Both drizzle and Postgres put them
 * into their errors. The error's causes are cleaned too. The statement, the code, and the names of
 * tables, columns and constraints stay.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const message = messageOf(error)
  const told = {
    ...(isOfDrizzle(error) || isOfPostgres(error) ? factsWithoutValues(error) : error),
    message,
    stack: stackWith(message, error),
    cause: withoutValues(error.cause),
  }
  return Object.assign(Object.create(Object.getPrototypeOf(error)), told)
}

/** Returns the message of what was thrown, without the values of a failed query. */
export function messageWithoutValues(error: unknown): string {
  return error instanceof Error ? messageOf(error) : String(error)
}

/**
 * Returns the message of what was thrown, and after it the names and messages of its causes. All
 * are without the values of a failed query, and without the queries of URLs, in which a signature
 * may be.
 */
export function storyWithoutValues(error: unknown): string {
  const causes: string[] = []
  let cause = error instanceof Error ? error.cause : undefined
  while (cause !== undefined && causes.length < mostCauses) {
    causes.push(causeText(cause))
    cause = cause instanceof Error ? cause.cause : undefined
  }
  const story = [messageWithoutValues(error), ...causes].join(', because of ')
  return story.replaceAll(/(https?:\/\/[^\s?]*)\?\S*/g, '$1?…')
}

/** An error can be its own cause, by mistake. */
const mostCauses = 5

function causeText(cause: unknown): string {
  const { name = '', code = '' } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {}
  // The error of a connection that failed at each address of a host has no message.
  return [name, messageWithoutValues(cause) || code].filter((part) => part !== '').join(': ')
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
