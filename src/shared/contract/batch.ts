import { type ZodType, z } from 'zod'

/** The most entries that one call of a batch takes. */
export const mostInBatch = 100

/** An entry of a batch that does not fit its schema, and why. */
export class InvalidEntry {
  readonly issues: readonly z.core.$ZodIssue[]

  constructor(issues: readonly z.core.$ZodIssue[]) {
    this.issues = issues
  }
}

/**
 * The entries of a batch. An entry that does not fit the schema becomes an `InvalidEntry`, so that
 * only this entry is refused.
 */
export function batchOf<S extends ZodType>(entry: S) {
  // Zod's types say that `catch` returns an entry that fits. Here it returns why it does not fit.
  const lenient = entry.catch(({ error }) => new InvalidEntry(error.issues) as never)
  return z
    .array(lenient as ZodType<z.output<S> | InvalidEntry, z.input<S>>)
    .min(1)
    .max(mostInBatch)
}

/**
 * The results of a batch, in the order of its entries. Each has what the call for a single entry
 * would answer, or the error with which it would refuse the entry.
 */
export function resultsOf<S extends ZodType>(answer: S) {
  return z.object({ results: z.array(z.union([z.object({ answer }), z.object({ error })])) })
}

/** The error of one entry. The call for a single entry would answer with this status and body. */
const error = z.object({
  httpStatus: z.int(),
  code: z.string(),
  message: z.string(),
  /**
   * After how many seconds the client may try again. Absent where the answer has no Retry-After.
   */
  retryAfterSeconds: z.int().optional(),
})

export type EntryError = z.output<typeof error>
