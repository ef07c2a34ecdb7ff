/** Commands that a scenario sends to its server process. */

export type Command =
  /** Starts the server with its clock set to `now`. Must be the first command. */
  | { type: 'serve'; now: number }
  /** `now` is in milliseconds since 1970. */
  | { type: 'set-clock'; now: number }
  /** Runs the cleanup jobs. With `waitForDatabase`, retries while the database is down. */
  | { type: 'run-jobs'; waitForDatabase?: true }
  /** Compares storage with the database, retrying while the database is down. */
  | { type: 'compare-storage' }
  /** Times out email send attempts whose process died. */
  | { type: 'release-stale-emails' }

/** A command with a number that is repeated in its result. */
export type NumberedCommand = Command & { number: number }
export interface CommandResult {
  number: number
  /** The error message, or null on success. */
  failure: string | null
}

export type RunCommand = (command: NumberedCommand) => Promise<void>

/** Options that the server process receives as JSON in the environment variable SERVER_OPTIONS. */
export interface ServerOptions {
  databaseUrl: string
  dataDir: string
  port: number
  /** The clock's initial time, in milliseconds since 1970. */
  now: number
  env: Record<string, string>
  /** Which timeouts to use for database connections and statements. */
  limits: 'short' | 'production'
}

export function isCommand(message: unknown): message is NumberedCommand {
  return typeof message === 'object' && message !== null && 'type' in message && 'number' in message
}
