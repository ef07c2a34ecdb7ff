import {
  type Config,
  ConfigError,
  readConfig,
  readEnvironment,
} from '../src/server/config/config.ts'
import type { RowSet } from '../src/server/db/row-copies.ts'
import { StartupError } from '../src/server/errors.ts'
import { mailQueueName } from '../src/server/jobs/job-queue.ts'
import { redactedMessages } from '../src/server/logging/redact.ts'

/** Of the job queue, a backup has the email. A server schedules all other jobs when it starts. */
export const queuedEmail: readonly RowSet[] = [
  { table: 'pgboss.job', where: `name = '${mailQueueName}'` },
]

/**
 * Runs a command with the settings of the server, and prints the text that it returns. If the
 * command throws, prints a message, and the process ends with exit code 1.
 */
export async function runCommand(work: (config: Config) => Promise<string>): Promise<void> {
  // Other users of this machine must not read what is written here.
  process.umask(0o077)
  try {
    say(await work(readConfig(readEnvironment())))
  } catch (error) {
    const isTold = error instanceof StartupError || error instanceof ConfigError
    say(isTold ? error.message : `It failed and can be repeated: ${redactedMessages(error)}`)
    process.exitCode = 1
  }
}

/** Prints a line for the operator. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
