import { z } from 'zod'
import {
  type FileOrder,
  fileOrderTexts,
  formatOrder,
  type SortKey,
} from '../../shared/rules/file-order.ts'
import { AppError } from '../errors.ts'
import type { Position } from './list-queries.ts'
import type { FileRow } from './queries.ts'

/** What a file is sorted by, as it stands in a cursor. */
const sortedBy: Readonly<Record<SortKey, (file: FileRow) => string | number>> = {
  date: (file) => file.createdAt.toISOString(),
  name: (file) => file.searchName,
  size: (file) => file.size,
  downloads: (file) => file.downloadCount,
}

const count = z.int().nonnegative()
const values = {
  date: z.iso.datetime(),
  // Postgres does not take NUL in a text.
  name: z.string().refine((text) => !text.includes('\0')),
  size: count,
  downloads: count.max(2 ** 31 - 1),
} satisfies Record<SortKey, z.ZodType<string | number>>

/**
 * Writes the place of a file in a list as opaque text, for the header `x-next-cursor`. It holds the
 * order of the list, because it is a place in no other.
 */
export function formatCursor(order: FileOrder, file: FileRow): string {
  const place = [formatOrder(order), sortedBy[order.by](file), file.id]
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/**
 * Reads a place in a list from its text.
 * @throws {AppError} INVALID_INPUT for any text that `formatCursor` did not make, and for a place in
 * another order than `order`.
 */
export function parseCursor(order: FileOrder, cursor: string): Position {
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
