import { createHmac } from 'node:crypto'

/**
 * Hashes a text together with the server's secret, as base64url. Nobody without the secret can make
 * or check such a hash. The purpose is hashed too, so that a hash for one purpose is not valid for
 * another.
 */
export function keyedHash(secret: string, purpose: string, text: string): string {
  return createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
}
