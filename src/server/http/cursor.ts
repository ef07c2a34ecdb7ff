import type { Context } from 'hono'
import { type ZodType, z } from 'zod'
import { AppError } from '../errors.ts'

/**
 * Checks a moment in a cursor. It accepts only texts in the form of `Date.toISOString`. It refuses
 * the year 0, because Postgres has no such year.
 */
export const momentShape = z.iso
  .datetime({ precision: 3 })
  .refine((text) => text >= '0001' && !Number.isNaN(Date.parse(text)))

/** Checks a moment as `momentShape` does, and returns it as a Date. */
export const moment = momentShape.transform((text) => new Date(text))

/** Writes where a page of a list ends, as a text that clients send back without reading it. */
function formatCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/**
 * Reads where a page of a list ended.
 * @param shape the type of the value that `formatCursor` wrote.
 * @throws {AppError} INVALID_INPUT for a text without such a value.
 */
export function parseCursor<Place>(shape: ZodType<Place>, cursor: string): Place {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('INVALID_INPUT', { message: 'cursor: Must come from x-next-cursor.', cause })
  }
}

/**
 * Returns one page of the rows, at most `limit` of them. If there are more rows, the header
 * `x-next-cursor` tells the client how to ask for the next page. So the caller reads `limit + 1`
 * rows.
 */
export function takePage<Row>(
  context: Context,
  rows: readonly Row[],
  { limit, placeOf }: { limit: number; placeOf: (row: Row) => unknown },
): Row[] {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length > limit && last) context.header('x-next-cursor', formatCursor(placeOf(last)))
  return page
}
