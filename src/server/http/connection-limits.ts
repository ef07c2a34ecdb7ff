/**
 * What one connection may cost. The limits are the same for every client, because they are checked
 * before the client is known.
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
  /**
   * How long the body of a call to the API may take to arrive, once the requests before it on its
   * connection are answered.
   */
  bodyMs: number
}

export const connectionLimits: ConnectionLimits = {
  // Browsers and proxies send the next request after the last answer. A package manager may send
  // ten requests before the first answer. A waiting request takes 5 KiB of memory, and 20 KiB with
  // the largest headers that Node accepts. On a thousand connections that would be 300 MiB.
  waitingRequests: 16,
  waitingBytes: 16 * 1024 * 1024,
  // A phone that lost its signal in a tunnel has it back within this time. A client that was cut
  // off can resume.
  stalledMs: 120_000,
  // The body of a call has at most 64 KiB, which takes 26 s at 20 kbit/s.
  bodyMs: 30_000,
}
