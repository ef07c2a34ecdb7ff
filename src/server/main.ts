import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import { collectStartGarbage } from './collect-start-garbage.ts'
import { type Config, ConfigError, readConfig, readEnvironment } from './config.ts'
import { messageWithoutValues } from './db/without-values.ts'
import { createLogger } from './log.ts'
import type { DataFolderOptions } from './open-data-folder.ts'
import { createShutdown, superviseProcess } from './shutdown.ts'
import { StartFault } from './start-fault.ts'
import type { Greeting } from './workers/messages.ts'
import { listenToPrimary, reportToPrimary, workerNumber } from './workers/worker.ts'

const clock: Clock = () => new Date()

try {
  const config = readConfig(readEnvironment())
  await run(config)
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  say(error.message)
  process.exitCode = 1
}

async function run(config: Config): Promise<void> {
  // Other users of this machine must not read what people upload.
  process.umask(0o077)
  const byPlace = process.stdout.isTTY ? 'readable' : 'json'
  const worker = workerNumber()
  const log = await createLogger({
    level: config.logLevel,
    format: config.logFormat ?? byPlace,
    worker,
    isShared: config.workers > 1,
  })
  const shutdown = createShutdown(log)
  const lost = Promise.withResolvers<never>()
  // The database may be lost during the start, before anything awaits this promise. Without a
  // handler that would be an unhandled rejection.
  lost.promise.catch(() => {})
  const started = start({ config, log, shutdown, onLost: lost.reject }, worker)
  const listenForStop = worker === null ? undefined : listenToPrimary
  const stop = superviseProcess(started, shutdown, log, listenForStop)
  try {
    const greeting = await started
    collectStartGarbage()
    if (worker === null) say(greeting.text)
    else await reportToPrimary({ kind: 'ready', greeting })
    await lost.promise
  } catch (error) {
    const message = messageOfFault(error, log)
    if (worker === null) say(message)
    else await reportToPrimary({ kind: 'fault', message })
    stop(1)
  }
}

/**
 * Starts the server, or the workers, each of which starts it in a process of its own. Imports only
 * what this process runs: the one that starts the workers needs a small part of the server. Most of
 * a start is to load the modules, so they are loaded while the embedded Postgres starts.
 */
async function start(options: DataFolderOptions, worker: number | null): Promise<Greeting> {
  const startsWorkers = worker === null && options.config.workers > 1
  const ofServer = worker === null ? 'server' : 'worker'
  const { openDataFolder } = await import('./open-data-folder.ts')
  const opening = openDataFolder(options, startsWorkers ? 'primary' : ofServer)
  // A fault is thrown below, when the modules are loaded. Until then it must not be an unhandled
  // rejection.
  const settled = opening.catch(() => {})
  try {
    if (startsWorkers) {
      const { startWorkers } = await import('./workers/start-workers.ts')
      return startWorkers({ ...options, folder: await opening })
    }
    const { startServer } = await import('./start-server.ts')
    return startServer({ ...options, clock, worker, folder: await opening })
  } finally {
    // If a module cannot be loaded, the shutdown must know of Postgres before it stops everything.
    await settled
  }
}

function messageOfFault(error: unknown, log: Logger): string {
  if (error instanceof StartFault) return error.message
  log.fatal({ err: error }, 'The server cannot run')
  return `The server cannot run: ${messageWithoutValues(error)}`
}

/**
 * Writes to the person at the terminal. It uses standard error, because the log uses standard
 * output.
 */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
