import { type ZodType, z } from 'zod'

/** Maximum number of entries in a batch. */
export const maxBatchLength = 100

/** An entry of a batch that doesn't match its schema, with the validation issues. */
export class InvalidEntry {
  readonly issues: readonly z.core.$ZodIssue[]

  constructor(issues: readonly z.core.$ZodIssue[]) {
    this.issues = issues
  }
}

/**
 * Schema for the entries of a batch. An invalid entry becomes an `InvalidEntry`, and the other
 * entries are still processed.
 */
export function batchOf<S extends ZodType>(entry: S) {
  // Zod's types require `catch` to return a valid entry.
  const entryOrInvalid = entry.catch(({ error }) => new InvalidEntry(error.issues) as never)
  return z
    .array(entryOrInvalid as ZodType<z.output<S> | InvalidEntry, z.input<S>>)
    .min(1)
    .max(maxBatchLength)
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
