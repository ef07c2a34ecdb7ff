import {
  type Config,
  ConfigError,
  readConfig,
  readEnvironment,
} from '../src/server/config/config.ts'
import type { RowSet } from '../src/server/db/row-copies.ts'
import { storyWithoutValues } from '../src/server/db/without-values.ts'
import { StartupError } from '../src/server/errors.ts'
import { mailQueueName } from '../src/server/jobs/job-queue.ts'

/**
 * The rows of the job queue that are copied: the mail. Other jobs are not copied, because every
 * start of the server schedules them again.
 */
export const lettersToSend: readonly RowSet[] = [
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
    say(isTold ? error.message : `It failed and can be repeated: ${storyWithoutValues(error)}`)
    process.exitCode = 1
  }
}

/**
 * Prints how many files could not be copied, because their bytes are missing or altered, and the
 * ids of up to 100 of them. If there are any, the command will end with exit code 1.
 */
export function sayFaults(fileIds: readonly string[]): void {
  if (fileIds.length === 0) return
  say(
    `The bytes of ${fileIds.length} files are missing in storage or were altered there. They were not copied: ${fileIds.slice(0, 100).join(', ')}`,
  )
  process.exitCode = 1
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
