/** Messages between a scenario and its server process. */

export type Command =
  /** Starts the server with its clock at `now`. Must be the first command. */
  | { type: 'serve'; now: number }
  /** Sets the clock, in milliseconds since 1970. */
  | { type: 'set-clock'; now: number }
  /** Runs the cleanup jobs. With `waitForDatabase`, retries while the database is down. */
  | { type: 'run-jobs'; waitForDatabase?: true }
  /** Compares storage with the database, retrying while the database is down. */
  | { type: 'compare-storage' }
  /** Times out email send attempts whose process died. */
  | { type: 'release-stale-emails' }

/** A numbered command. Its result has the same number. */
export type NumberedCommand = Command & { number: number }
export interface CommandResult {
  number: number
  /** The error message, or null on success. */
  failure: string | null
}

export type RunCommand = (command: NumberedCommand) => Promise<void>

/** Passed to the server process in SERVER_OPTIONS, as JSON. */
export interface ServerOptions {
  databaseUrl: string
  dataDir: string
  port: number
  /** The clock's initial time, in milliseconds since 1970. */
  now: number
  env: Record<string, string>
  /** Timeouts of database connections and statements. */
  limits: 'short' | 'production'
}

export function isCommand(message: unknown): message is NumberedCommand {
  return typeof message === 'object' && message !== null && 'type' in message && 'number' in message
}
