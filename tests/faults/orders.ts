/** The messages between a play and its server. */

/** What a play can order. */
export type Order =
  /** Begins to serve, with this time. It is the first order. */
  | { do: 'serve'; now: number }
  /** Sets the clock. `now` is in milliseconds since 1970. */
  | { do: 'set-clock'; now: number }
  /**
   * Runs the jobs that end files and uploads and remove their bytes. With `untilDone`, it repeats
   * them while the database does not answer.
   */
  | { do: 'run-jobs'; untilDone?: true }
  /** Compares storage with the database. Repeats that while the database does not answer. */
  | { do: 'compare-storage' }
  /** Ends tries to send mail that take too long, such as those of killed processes. */
  | { do: 'end-lost-tries' }

/** An order with its number. The answer has the same number. */
export type NumberedOrder = Order & { number: number }
export interface Answer {
  number: number
  /** Why the order could not be carried out; null if it was. */
  failure: string | null
}

/** Carries out an order. Rejects if it cannot. */
export type Obey = (order: NumberedOrder) => Promise<void>

/** What the server gets in the environment variable SERVED, as JSON. */
export interface Served {
  databaseUrl: string
  dataDir: string
  port: number
  /** The moment at which the clock starts, in milliseconds since 1970. */
  now: number
  /** Other settings, in the form of environment variables. */
  env: Record<string, string>
  /** How long the server waits for Postgres: a short time, or as long as in production. */
  limits: 'short' | 'production'
}

export function isOrder(message: unknown): message is NumberedOrder {
  return typeof message === 'object' && message !== null && 'do' in message && 'number' in message
}
