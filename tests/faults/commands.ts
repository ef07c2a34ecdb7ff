/** Messages between a scenario and its server process. */

export type Command =
  /** Starts serving at this time. The first command. */
  | { do: 'serve'; now: number }
  /** Sets the clock, in milliseconds since 1970. */
  | { do: 'set-clock'; now: number }
  /** Runs the cleanup jobs. With `untilReachable`, retries while the database is down. */
  | { do: 'run-jobs'; untilReachable?: true }
  /** Compares storage with the database. Retries while the database is down. */
  | { do: 'compare-storage' }
  /** Ends attempts to send emails that killed processes have left. */
  | { do: 'release-stale-emails' }

/** A command with its number, which the answer repeats. */
export type NumberedCommand = Command & { number: number }
export interface Answer {
  number: number
  /** The error, or null on success. */
  failure: string | null
}

export type RunCommand = (command: NumberedCommand) => Promise<void>

/** What the server process gets in SERVER_OPTIONS, as JSON. */
export interface ServerOptions {
  databaseUrl: string
  dataDir: string
  port: number
  /** The time to start at, in milliseconds since 1970. */
  now: number
  /** Other settings, as environment variables. */
  env: Record<string, string>
  /** Postgres timeouts. */
  limits: 'short' | 'production'
}

export function isCommand(message: unknown): message is NumberedCommand {
  return typeof message === 'object' && message !== null && 'do' in message && 'number' in message
}
