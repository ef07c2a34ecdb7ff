import type { IncomingMessage } from 'node:http'

export interface ProxyTrust {
  /** Take the address from the last entry of X-Forwarded-For, the one that our own proxy added. */
  trustProxy: boolean
}

/** Where a request comes from, as the socket or our own proxy tells. */
export function clientAddress(request: IncomingMessage, { trustProxy }: ProxyTrust): string {
  const forwarded = trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : ''
  return forwarded.split(',').at(-1)?.trim() || request.socket.remoteAddress || 'unknown'
}
