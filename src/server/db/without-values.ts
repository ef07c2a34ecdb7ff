/**
 * Returns an error as a log may tell it: without the values of a failed query. Those are addresses,
 * hashes of passwords and tokens of sessions, and both drizzle and Postgres put them into their
 * errors. The causes are cleaned too. What stays is the statement, the code, and the names of
 * tables, columns and constraints.
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

/** Returns the message of whatever was thrown, without the values of a failed query. */
export function messageWithoutValues(error: unknown): string {
  return error instanceof Error ? messageOf(error) : String(error)
}

// Both are told by their properties: another copy of a library would have classes of its own.

function isOfDrizzle(error: Error): error is Error & { query: string } {
  return 'query' in error && 'params' in error
}

function isOfPostgres(error: Error): error is Error & { code: string } {
  return 'severity' in error && 'routine' in error
}

/** Leaves out the properties in which drizzle and Postgres keep values. */
function factsWithoutValues(error: Error): object {
  const { params, detail, where, internalQuery, ...facts } = error as Error &
    Partial<Record<'params' | 'detail' | 'where' | 'internalQuery', unknown>>
  return facts
}

/** The SQLSTATEs of faulty values begin with this. Their messages quote the value. */
const dataException = '22'

function messageOf(error: Error): string {
  if (isOfDrizzle(error)) return `Failed query: ${error.query}`
  const isOfValue = isOfPostgres(error) && error.code.startsWith(dataException)
  return isOfValue ? error.message.replace(/".*"/s, '"…"') : error.message
}

/** Returns the stack of an error with another message in it. */
function stackWith(message: string, { message: old, name, stack = '' }: Error): string {
  const at = stack.indexOf(old)
  const frames = at < 0 ? '' : stack.slice(at + old.length)
  return `${name}: ${message}${frames}`
}
