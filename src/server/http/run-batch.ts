import type { Context } from 'hono'
import { type EntryError, InvalidEntry } from '../../shared/contract/batch.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import { toLoggedError } from './error-handler.ts'
import { describeIssues } from './mount.ts'

type EntryResult<Answer> = { answer: Answer } | { error: EntryError }

/**
 * Runs a batch and returns one result per entry, in order. Calls `work` with the valid entries. An
 * invalid entry gets the same error that a single call would get.
 */
export async function runBatch<Entry, Answer>(
  context: Context<HttpEnv>,
  entries: readonly (Entry | InvalidEntry)[],
  work: (validEntries: Entry[]) => Promise<PromiseSettledResult<Answer>[]>,
): Promise<{ results: EntryResult<Answer>[] }> {
  const validEntries = entries.filter((entry): entry is Entry => !(entry instanceof InvalidEntry))
  const workResults = (validEntries.length > 0 ? await work(validEntries) : []).values()
  const results = entries.map((entry): EntryResult<Answer> => {
    if (entry instanceof InvalidEntry) {
      const error = new AppError('INVALID_INPUT', { message: describeIssues(entry.issues) })
      return { error: toEntryError(error) }
    }
    const { value: result } = workResults.next()
    return result?.status === 'fulfilled'
      ? { answer: result.value }
      : { error: toEntryError(toLoggedError(result?.reason, context)) }
  })
  return { results }
}

function toEntryError({ status, body, headers }: AppError): EntryError {
  const retryAfterSeconds = headers['retry-after']
  return {
    httpStatus: status,
    ...body,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Number(retryAfterSeconds) }),
  }
}
