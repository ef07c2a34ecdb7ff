import type { Context } from 'hono'
import type { EntryError } from '../../shared/contract/batch.ts'
import type { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import { toLoggedError } from './error-handler.ts'

type EntryResult<Answer> = { answer: Answer } | { error: EntryError }

/**
 * Calls `work` for each entry of a batch, for up to `concurrency` at once. Returns one result per
 * entry, in order: the response or the error that a single call would get.
 */
export async function runBatch<Entry, Answer>(
  context: Context<HttpEnv>,
  entries: readonly Entry[],
  concurrency: number,
  work: (entry: Entry) => Promise<Answer>,
): Promise<{ results: EntryResult<Answer>[] }> {
  const results: EntryResult<Answer>[] = []
  const remaining = entries.entries()
  const worker = async () => {
    for (const [index, entry] of remaining) {
      try {
        results[index] = { answer: await work(entry) }
      } catch (error) {
        results[index] = { error: toEntryError(toLoggedError(error, context)) }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
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
