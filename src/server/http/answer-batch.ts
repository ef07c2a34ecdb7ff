import type { Context } from 'hono'
import { type EntryError, InvalidEntry } from '../../shared/contract/batch.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import { toLoggedFault } from './error-handler.ts'
import { listFaults } from './mount.ts'

/** The result of one entry. */
type EntryResult<Answer> = { answer: Answer } | { error: EntryError }

/**
 * Answers a batch: each entry by itself, in the order of the entries. An entry that is not valid is
 * refused as a call with this body would be. `work` gets the valid ones, and returns how each
 * ended.
 */
export async function answerBatch<Entry, Answer>(
  context: Context<HttpEnv>,
  entries: readonly (Entry | InvalidEntry)[],
  work: (valid: Entry[]) => Promise<PromiseSettledResult<Answer>[]>,
): Promise<{ results: EntryResult<Answer>[] }> {
  const valid = entries.filter((entry): entry is Entry => !(entry instanceof InvalidEntry))
  const worked = (valid.length > 0 ? await work(valid) : []).values()
  const results = entries.map((entry): EntryResult<Answer> => {
    if (entry instanceof InvalidEntry) {
      const invalid = new AppError('INVALID_INPUT', { message: listFaults(entry.issues) })
      return { error: entryError(invalid) }
    }
    const { value: result } = worked.next()
    return result?.status === 'fulfilled'
      ? { answer: result.value }
      : { error: entryError(toLoggedFault(result?.reason, context)) }
  })
  return { results }
}

function entryError({ status, body, headers }: AppError): EntryError {
  const seconds = headers['retry-after']
  return {
    httpStatus: status,
    ...body,
    ...(seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) }),
  }
}
