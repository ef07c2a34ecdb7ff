import type { IncomingMessage } from 'node:http'
import { evaluateConditions, selectRange, type Validators } from './byte-range.ts'

/** With one of these headers, the answer depends on the validators of the stored bytes. */
const conditionalHeaders = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
] as const

/**
 * Predicts at which offset of a file the answer to a download will begin. It is needed where
 * another server sends the bytes: the object storage, or nginx. It applies the rules by which this
 * server itself answers (RFC 9110 §13.2.2 and §14.2). Returns null if the answer will have no bytes
 * of the file.
 * @param size in bytes.
 * @param validators returns by what the other server identifies the bytes; null if it has none. It
 * is called only for a conditional request.
 */
export async function expectedStart(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  size: number,
  validators: () => Promise<Validators | null>,
): Promise<number | null> {
  if (method !== 'GET') return null
  const outcome = await outcomeOf(headers, validators)
  if (outcome === 'failed' || outcome === 'unmodified') return null
  const range = outcome === 'range' ? selectRange(headers.range, size) : 'whole'
  if (range === 'unsatisfiable') return null
  return range === 'whole' ? 0 : range.start
}

async function outcomeOf(
  headers: IncomingMessage['headers'],
  validators: () => Promise<Validators | null>,
): Promise<ReturnType<typeof evaluateConditions>> {
  if (conditionalHeaders.every((name) => headers[name] === undefined)) return 'range'
  const known = await validators()
  return known === null ? 'failed' : evaluateConditions(headers, known)
}
