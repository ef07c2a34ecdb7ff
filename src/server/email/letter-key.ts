import { createHash } from 'node:crypto'

/**
 * Returns the key under which an email is queued: a UUID of version 8 made from a hash of `name`,
 * which says what the email is about. The queue takes only one email with the same key, so it is
 * sent once.
 */
export function letterKey(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
