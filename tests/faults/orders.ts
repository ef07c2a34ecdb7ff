/** The messages between a play and the processes of its server. */

/** What a play can order. */
export type Order =
  /**
   * Begins to serve, with this time. It is the first order. The play gives it only to the process
   * that it has started, and not to the workers of that process.
   */
  | { do: 'serve'; now: number }
  /** `now` is in milliseconds since 1970. All processes set their clocks. */
  | { do: 'set-clock'; now: number }
  /**
   * One process runs the jobs that end files and uploads and remove their bytes. With `untilDone`,
   * it repeats them while the database does not answer.
   */
  | { do: 'run-jobs'; untilDone?: true }
  /**
   * One process compares storage with the database. It repeats that while the database does not
   * answer.
   */
  | { do: 'compare-storage' }
  /** Ends tries to send mail that take too long, such as those of killed processes. */
  | { do: 'end-lost-tries' }
  /** Kills one of the workers that serve. `draw` decides which. */
  | { do: 'kill-worker'; draw: number }

/** An order with its number. The answer has the same number. */
export type NumberedOrder = Order & { number: number }
export interface Answer {
  number: number
  /** Why the order could not be carried out; null if it was. */
  failure: string | null
}

/** Carries out an order. Rejects if it cannot. */
export type Obey = (order: NumberedOrder) => Promise<void>

/** What a process of the server gets in the environment variable SERVED, as JSON. */
export interface Served {
  databaseUrl: string
  dataDir: string
  port: number
  /** The moment at which the clock starts, in milliseconds since 1970. */
  now: number
  /** Other settings, in the form of environment variables. */
  env: Record<string, string>
  processes: number
  isOneOfSeveral: boolean
  /** How long the server waits for Postgres: a short time, or as long as in production. */
  limits: 'short' | 'production'
}

export function isOrder(message: unknown): message is NumberedOrder {
  return typeof message === 'object' && message !== null && 'do' in message && 'number' in message
}

export function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'failure' in message
}
