import { z } from 'zod'
import {
  type FileOrder,
  fileOrderTexts,
  formatOrder,
  type SortKey,
} from '../../shared/rules/files/file-order.ts'
import { AppError } from '../errors.ts'
import { momentShape } from '../http/cursor.ts'
import type { Position } from './list-queries.ts'
import type { FileRow } from './queries.ts'

/** The value by which a file is sorted, in the form in which a cursor contains it. */
const sortedBy: Readonly<Record<SortKey, (file: FileRow) => string | number>> = {
  date: (file) => file.createdAt.toISOString(),
  name: (file) => file.searchName,
  size: (file) => file.size,
  downloads: (file) => file.downloadCount,
}

const count = z.int().nonnegative()
const values = {
  date: momentShape,
  // Postgres refuses the character NUL in a text.
  name: z.string().refine((text) => !text.includes('\0')),
  size: count,
  downloads: count.max(2 ** 31 - 1),
} satisfies Record<SortKey, z.ZodType<string | number>>

/**
 * Writes the position of a file in a list as a text for the header `x-next-cursor`. Clients send it
 * back without reading it. The text contains the order of the list, because in another order the
 * position would be another one.
 */
export function formatPosition(order: FileOrder, file: FileRow): string {
  const place = [formatOrder(order), sortedBy[order.by](file), file.id]
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/**
 * Reads a position in a list from the text that `formatPosition` made.
 * @throws {AppError} INVALID_INPUT for any other text, and for a position in another order than
 * `order`.
 */
export function parsePosition(order: FileOrder, cursor: string): Position {
  const place = z.tuple([z.enum(fileOrderTexts), values[order.by], z.uuid()])
  try {
    const [writtenIn, value, id] = place.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    )
    if (writtenIn !== formatOrder(order)) throw new Error(`a cursor of the order ${writtenIn}`)
    return { value, id }
  } catch (error) {
    throw new AppError('INVALID_INPUT', {
      message: 'cursor: Must come from x-next-cursor of a list in the same order.',
      cause: error,
    })
  }
}
