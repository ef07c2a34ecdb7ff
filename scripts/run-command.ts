import { parse, resolve } from 'node:path'
import {
  type Config,
  ConfigError,
  readConfig,
  readEnvironment,
} from '../src/server/config/config.ts'
import type { RowSet } from '../src/server/db/row-copies.ts'
import { StartupError } from '../src/server/errors.ts'
import { emailQueueName } from '../src/server/jobs/job-queue.ts'
import { redactedMessages } from '../src/server/logging/redact.ts'

/**
 * A backup contains no jobs except queued emails. The server schedules all other jobs again at
 * startup.
 */
export const queuedEmailRows: readonly RowSet[] = [
  { table: 'pgboss.job', where: `name = '${emailQueueName}'` },
]

/**
 * Runs a command with the server's settings and prints its result. If it fails, prints the error
 * and exits with status 1.
 * @param onSignal what to do if the command is interrupted, perhaps twice: Ctrl-C reaches both the
 * launcher, which passes it on, and this process. An exit also stops Postgres.
 */
export async function runCommand(
  work: (config: Config) => Promise<string>,
  onSignal: () => void = () => process.exit(130),
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  // Files must not be readable by other users.
  process.umask(0o077)
  try {
    printLine(await work(readConfig(readEnvironment())))
  } catch (error) {
    const isExpected = error instanceof StartupError || error instanceof ConfigError
    printLine(
      isExpected ? error.message : `Failed: ${redactedMessages(error)}. You can run it again.`,
    )
    process.exitCode = 1
  }
}

/**
 * Reads this command's arguments. If they are wrong, which `read` reports by null or an error,
 * prints the usage and exits with status 2. For `--help`, exits with 0.
 */
export function readArguments<T>(usage: string, read: () => T | null): T {
  const asksForHelp = process.argv.some((word) => word === '--help' || word === '-h')
  try {
    const result = asksForHelp ? null : read()
    if (result !== null) return result
  } catch {
    // An unknown option.
  }
  printLine(usage)
  process.exit(asksForHelp ? 0 : 2)
}

/**
 * Returns the absolute path of an argument, which is relative to the shell's folder. `npm run`
 * starts a script in the package's folder, and sets INIT_CWD to the shell's.
 */
export function resolveArgument(path: string): string {
  const { npm_lifecycle_event: npmScript, INIT_CWD: shellFolder = '' } = process.env
  const isRunByNpm = npmScript === parse(process.argv[1] ?? '').name
  return resolve(isRunByNpm ? shellFolder : '', path)
}

/** Prints a line to stderr. */
export function printLine(text: string): void {
  process.stderr.write(`${text}\n`)
}
