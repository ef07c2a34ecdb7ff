import type { Context } from 'hono'
import { type ZodType, z } from 'zod'
import { AppError } from '../errors.ts'

/**
 * A time in a cursor, in the format of `Date.toISOString`. Rejects the year 0, which Postgres
 * doesn't have.
 */
export const timestampText = z.iso
  .datetime({ precision: 3 })
  .refine((text) => text >= '0001' && !Number.isNaN(Date.parse(text)))

/** Like `timestampText`, but parsed into a Date. */
export const timestamp = timestampText.transform((text) => new Date(text))

/** Encodes the position at the end of a page as an opaque string. */
function formatCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * Decodes a cursor. Returns undefined for the first page.
 * @throws {AppError} INVALID_INPUT unless the cursor contains a value of this shape.
 */
export function parseCursor<Cursor>(
  shape: ZodType<Cursor>,
  cursor: string | undefined,
): Cursor | undefined {
  if (cursor === undefined) return undefined
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    const message = 'cursor: Must come from x-next-cursor of the same list.'
    throw new AppError('INVALID_INPUT', { message, cause })
  }
}

/**
 * Returns the first `limit` rows and sets the header `x-next-cursor` if there are more. Callers
 * must therefore read `limit + 1` rows.
 */
export function takePage<Row>(
  context: Context,
  rows: readonly Row[],
  { limit, cursorOf }: { limit: number; cursorOf: (row: Row) => unknown },
): Row[] {
  const page = rows.slice(0, limit)
  const lastRow = page.at(-1)
  if (rows.length > limit && lastRow)
    context.header('x-next-cursor', formatCursor(cursorOf(lastRow)))
  return page
}
