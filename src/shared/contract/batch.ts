import { type ZodType, z } from 'zod'

/** Maximum number of entries in a batch. */
export const maxBatchLength = 100

/** Schema for the entries of a batch. An invalid entry refuses the whole batch. */
export function batchOf<S extends ZodType>(entry: S) {
  return z.array(entry).min(1).max(maxBatchLength)
}

const error = z
  .object({
    httpStatus: z.int(),
    code: z.string(),
    message: z.string(),
    retryAfterSeconds: z.int().optional(),
  })
  .describe('The error that the call for one entry would return.')

/** Schema for the results of a batch. Each has either an `answer` or an `error`. */
export function resultsOf<S extends ZodType>(response: S) {
  return z.object({
    results: z
      .array(z.union([z.object({ answer: response }), z.object({ error })]))
      .describe('In the order of the entries.'),
  })
}

export type EntryError = z.output<typeof error>
