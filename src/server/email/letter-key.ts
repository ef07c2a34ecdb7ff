import { createHash } from 'node:crypto'

/**
 * Returns the key in the queue of the one letter that `name` describes: a UUID of version 8, which is
 * made from a hash.
 */
export function letterKey(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
