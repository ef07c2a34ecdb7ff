import type { Ceiling } from './fair-ceiling.ts'

/**
 * What one connection may cost, and how many there may be. The limits are the same for every
 * client, because they are checked before the client is known.
 */
export interface ConnectionLimits {
  /** How many requests may wait behind the request that is being answered. */
  waitingRequests: number
  /**
   * How many bytes of memory all waiting requests may take, on all connections together. The first
   * waiting request of each connection does not count.
   */
  waitingBytes: number
  /** How many bytes the headers of a request may have. A request with more is answered 431. */
  headerBytes: number
  /**
   * How many milliseconds the headers of a request may take to arrive. The server checks this only
   * twice in that time, so a client may take up to half as long again. Then it is answered 408.
   */
  headersMs: number
  /** How long a client may read nothing of its answer, or send nothing of its announced body. */
  stalledMs: number
  /**
   * How long the body of a call to the API may take to arrive, once the requests before it on its
   * connection are answered.
   */
  bodyMs: number
  /** How many connections may be open. */
  connections: Ceiling
  /**
   * How many connections above the limit `connections` may be open until they are told so: the
   * first request on each is refused, and it must arrive within `withinMs`. Any further connection
   * is reset at once.
   */
  refused: Ceiling & { withinMs: number }
}

export const connectionLimits: ConnectionLimits = {
  // Browsers and proxies wait for an answer before they send the next request. A package manager
  // may send ten requests before the first answer. A waiting request takes 5 KiB of memory, and 20
  // KiB with the largest headers that Node accepts. On a thousand connections that would be 300
  // MiB.
  waitingRequests: 16,
  waitingBytes: 16 * 1024 * 1024,
  // The session's cookie and the longest path take less than 4 KiB.
  headerBytes: 16 * 1024,
  headersMs: 60_000,
  // A phone that lost its signal in a tunnel has it back within this time. A client that was cut
  // off can resume.
  stalledMs: 120_000,
  // The body of most calls has at most 64 KiB, which takes 26 s at 20 kbit/s. A larger one needs a
  // faster line: 280 kbit/s for a logo of 1MB.
  bodyMs: 30_000,
  // 4,000 idle connections take 50 MiB of memory, and 150 MiB with headers or bodies that are half
  // sent. One address can have a third of all connections. A browser opens up to six, so that
  // suffices for the browsers of 200 people.
  connections: { total: 4096, always: 256 },
  refused: { total: 256, always: 16, withinMs: 5000 },
}
