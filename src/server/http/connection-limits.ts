/**
 * What one connection may cost, whoever is at its other end. Nobody has shown who they are when
 * these apply.
 */
export interface ConnectionLimits {
  /** Requests that may wait for their turn behind the one that is being answered. */
  waitingRequests: number
  /** Memory of all that wait, on all connections together but for the first of each, in bytes. */
  waitingBytes: number
  /** How long a client may go without reading what it asked for, or sending what it announced. */
  stalledMs: number
  /** How long the body of a call may take to arrive, once its turn has come. */
  bodyMs: number
}

export const connectionLimits: ConnectionLimits = {
  // Browsers and proxies send the next request when the last is answered; a package manager that
  // sends ahead has ten under way. A waiting one costs 5 KiB, and 20 KiB with the
  // largest headers that Node takes: a thousand connections would make 300 MiB of it.
  waitingRequests: 16,
  waitingBytes: 16 * 1024 * 1024,
  // A phone that drives through a tunnel comes back in time. Whoever is cut can go on where it was.
  stalledMs: 120_000,
  // A body of the contract has 64 KiB at most, which takes 26 s on a line of 20 kbit/s.
  bodyMs: 30_000,
}
