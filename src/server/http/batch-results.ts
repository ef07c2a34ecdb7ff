import type { Context } from 'hono'
import type { EntryError } from '../../shared/contract/batch.ts'
import type { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import { toLoggedError } from './error-handler.ts'

type EntryResult<Answer> = { answer: Answer } | { error: EntryError }

/** Returns the results of a batch: for each entry, the response or error that a call would get. */
export function toBatchResults<Answer>(
  context: Context<HttpEnv>,
  outcomes: readonly PromiseSettledResult<Answer>[],
): { results: EntryResult<Answer>[] } {
  const results = outcomes.map((outcome) =>
    outcome.status === 'fulfilled'
      ? { answer: outcome.value }
      : { error: toEntryError(toLoggedError(outcome.reason, context)) },
  )
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
