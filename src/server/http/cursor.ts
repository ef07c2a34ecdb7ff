import type { Context } from 'hono'
import { type ZodType, z } from 'zod'
import { AppError } from '../errors.ts'

/**
 * A moment in a cursor, as the text of `Date.toISOString`. It is one that Postgres takes: Postgres
 * has no year 0. Another text than ours, or another type, is no moment.
 */
export const momentText = z.iso
  .datetime({ precision: 3 })
  .refine((text) => text >= '0001' && !Number.isNaN(Date.parse(text)))

/** The same, read as a date. */
export const moment = momentText.transform((text) => new Date(text))

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
 * Returns one page of the rows. One more row was read than the page shows. If that row exists, the
 * header `x-next-cursor` tells the client how to ask for the next page.
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
