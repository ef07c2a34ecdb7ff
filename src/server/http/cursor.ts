import type { Context } from 'hono'
import type { ZodType } from 'zod'
import { AppError } from '../errors.ts'

/** Writes the place where a page of a list ends as opaque text. */
function formatCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/**
 * Reads the place where a page of a list ended.
 * @param shape the form in which `formatCursor` got it.
 * @throws {AppError} INVALID_INPUT for a text that does not hold such a place.
 */
export function parseCursor<Place>(shape: ZodType<Place>, cursor: string): Place {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('INVALID_INPUT', { message: 'cursor: Must come from x-next-cursor.', cause })
  }
}

/**
 * Takes a page out of rows of which one more was read than the page shows. Where there was one
 * more, the header `x-next-cursor` leads to it.
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
