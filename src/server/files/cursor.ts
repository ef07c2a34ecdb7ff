import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { Position } from './list-queries.ts'

const position = z.tuple([z.iso.datetime().transform((text) => new Date(text)), z.uuid()])

/** Writes a place in the list of files as opaque text, for the header `x-next-cursor`. */
export function formatCursor({ createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url')
}

/**
 * Reads a place in the list of files from its text.
 * @throws {AppError} INVALID_INPUT for any text that `formatCursor` did not make.
 */
export function parseCursor(cursor: string): Position {
  try {
    const [createdAt, id] = position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { createdAt, id }
  } catch (error) {
    throw new AppError('INVALID_INPUT', {
      message: 'cursor: Must come from x-next-cursor.',
      cause: error,
    })
  }
}
