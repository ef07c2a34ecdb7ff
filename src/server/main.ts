import type { Logger } from 'pino'
import { type DataFolderOptions, openDataFolder } from './boot/data-dir.ts'
import { createShutdown, superviseProcess } from './boot/shutdown.ts'
import { type Config, ConfigError, readConfig, readEnvironment } from './config/config.ts'
import { StartupError } from './errors.ts'
import { createLogger } from './logging/log.ts'
import { redactedMessage } from './logging/redact.ts'

try {
  await run(readConfig(readEnvironment()))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  printLine(error.message)
  process.exitCode = 1
}

async function run(config: Config): Promise<void> {
  // Other users of this machine must not read uploads.
  process.umask(0o077)
  const defaultFormat = process.stdout.isTTY ? 'readable' : 'json'
  const log = await createLogger({
    level: config.logLevel,
    format: config.logFormat ?? defaultFormat,
  })
  const shutdown = createShutdown(log)
  const databaseLost = Promise.withResolvers<never>()
  // Prevents an unhandled rejection if the database is lost before this promise is awaited.
  databaseLost.promise.catch(() => {})
  const startupPromise = start({ config, log, shutdown, onLost: databaseLost.reject })
  const stop = superviseProcess(startupPromise, shutdown, log)
  try {
    printLine(await startupPromise)
    await databaseLost.promise
  } catch (error) {
    printLine(describeStartupError(error, log))
    stop(1)
  }
}

/**
 * Starts the server. Loading the modules takes longest and blocks this process, so it begins once
 * Postgres has been launched.
 */
async function start(options: DataFolderOptions): Promise<string> {
  const launch = Promise.withResolvers<void>()
  const folderPromise = openDataFolder({ ...options, onLaunch: launch.resolve })
  // Postgres must be added to the shutdown even if a module fails to load.
  const settledFolderPromise = folderPromise.catch(() => {})
  try {
    await Promise.race([launch.promise, folderPromise])
    const { startServer } = await import('./boot/start-server.ts')
    return await startServer({ ...options, clock: () => new Date(), folder: await folderPromise })
  } finally {
    await settledFolderPromise
  }
}

function describeStartupError(error: unknown, log: Logger): string {
  if (error instanceof StartupError) return error.message
  log.fatal({ err: error }, 'The server cannot run')
  return `The server cannot run: ${redactedMessage(error)}`
}

/** Standard output is reserved for the log. */
function printLine(text: string): void {
  process.stderr.write(`${text}\n`)
}
