/**
 * What one connection may cost. The limits apply to every client, because no client is known yet
 * when they are checked.
 */
export interface ConnectionLimits {
  /** How many requests may wait behind the request that is being answered. */
  waitingRequests: number
  /**
   * How many bytes of memory all waiting requests may take, on all connections together. The first
   * request of each connection does not count.
   */
  waitingBytes: number
  /** How long a client may read nothing of its answer, or send nothing of its announced body. */
  stalledMs: number
  /** How long the body of a call may take to arrive, counted from the call's turn. */
  bodyMs: number
}

export const connectionLimits: ConnectionLimits = {
  // Browsers and proxies send the next request after the last answer. A package manager may send
  // ten requests before the first answer. A waiting request costs 5 KiB, and 20 KiB with the
  // largest headers that Node takes. On a thousand connections that would be 300 MiB.
  waitingRequests: 16,
  waitingBytes: 16 * 1024 * 1024,
  // A phone in a tunnel is back within this time. A client that was cut can resume.
  stalledMs: 120_000,
  // A body of the contract has at most 64 KiB, which takes 26 s on a line of 20 kbit/s.
  bodyMs: 30_000,
}
