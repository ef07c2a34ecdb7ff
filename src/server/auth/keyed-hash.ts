import { createHmac } from 'node:crypto'

/**
 * Hashes a text so that only who has the server's secret can make or check it, as base64url. The
 * purpose comes first in what is hashed, so that a hash for one purpose fits no other.
 */
export function keyedHash(secret: string, purpose: string, text: string): string {
  return createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
}
