import { pino } from 'pino'
import { isDatabaseUnavailable } from '../../src/server/db/db-errors.ts'
import { type PoolLimits, poolLimits } from '../../src/server/db/pool.ts'
import { emailQueueName, openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startEmailWorkers } from '../../src/server/jobs/jobs.ts'
import { logSerializers } from '../../src/server/logging/log.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import type { TestClock } from '../support/test-clock.ts'
import type { Command, RunCommand, ServerOptions } from './commands.ts'
import { expectStorageMatches, runJobs } from './jobs.ts'

/**
 * With these timeouts, an unresponsive database holds up a round for only five seconds. They can't
 * be much shorter, because on a busy machine a healthy database may take a second or two to
 * respond.
 */
const shortLimits: PoolLimits = {
  connections: 10,
  maxWaiting: 1000,
  connectMs: 3000,
  lockMs: 4000,
  statementMs: 4000,
  idleInTransactionMs: 4000,
  clientTimeoutMs: 5000,
}

/** Starts the server in this process, and resolves when it is ready. */
export async function startServer(options: ServerOptions, clock: TestClock): Promise<RunCommand> {
  const { databaseUrl, dataDir, port, env, limits } = options
  const level = process.env.LOG_LEVEL ?? 'silent'
  const app = await serveApp(
    { url: databaseUrl, drop: async () => {} },
    {
      dataDir,
      env: { PORT: String(port), ...env },
      poolLimits: limits === 'short' ? shortLimits : poolLimits,
      clock,
      log: pino({ level, serializers: logSerializers }, pino.destination(2)),
      openQueue: openJobQueue,
    },
  )
  if (app.jobQueue) await startEmailWorkers(app.deps, app.jobQueue)
  return (command) => runCommand(app, command)
}

/** Retries `work` while the database is unreachable, or too slow because the machine is busy. */
async function retryWhileUnavailable(work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error
    }
  }
}

/**
 * Runs a command. The server sends queued emails by itself, and the checks don't depend on the jobs
 * left out here.
 */
async function runCommand({ deps, jobQueue }: TestApp, command: Command): Promise<void> {
  switch (command.type) {
    case 'run-jobs':
      return command.waitForDatabase ? retryWhileUnavailable(() => runJobs(deps)) : runJobs(deps)
    case 'compare-storage':
      return retryWhileUnavailable(() => expectStorageMatches(deps))
    case 'release-stale-emails':
      await jobQueue?.boss.supervise(emailQueueName)
      return
    default:
      throw new Error(`a running server can't run ${command.type}`)
  }
}
