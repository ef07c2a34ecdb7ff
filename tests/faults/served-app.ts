import cluster from 'node:cluster'
import { pino } from 'pino'
import { expireFiles } from '../../src/server/files/expire-files.ts'
import { compareStorage } from '../../src/server/jobs/compare-storage.ts'
import { mailQueueName, openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { sendQueuedMail } from '../../src/server/jobs/jobs.ts'
import { logSerializers } from '../../src/server/log.ts'
import { retryRemovals } from '../../src/server/uploads/retry-removals.ts'
import { sweepUploads } from '../../src/server/uploads/sweep-uploads.ts'
import { reportToPrimary } from '../../src/server/workers/worker.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import type { TestClock } from '../support/test-clock.ts'
import type { Obey, Order, Served } from './orders.ts'

/**
 * Shorter limits, so that a silent database costs a round five seconds and not thirty. On a busy
 * machine a database that is there may take a second or two.
 */
const poolLimits = {
  connections: 10,
  waiting: 1000,
  connectMs: 3000,
  lockMs: 4000,
  statementMs: 4000,
  idleInTransactionMs: 4000,
  answerMs: 5000,
}

/** Starts the server in this process, which may be a worker. Resolves when it serves. */
export async function startServer(served: Served, clock: TestClock): Promise<Obey> {
  const { databaseUrl, dataDir, port, env, isOneOfSeveral } = served
  const level = process.env.LOG_LEVEL ?? 'silent'
  const app = await serveApp(
    { url: databaseUrl, drop: async () => {} },
    {
      dataDir,
      env: { PORT: String(port), ...env },
      poolLimits,
      isOneOfSeveral,
      clock,
      log: pino({ level, serializers: logSerializers }, pino.destination(2)),
      openQueue: openJobQueue,
    },
  )
  if (app.jobQueue) await sendQueuedMail(app.deps, app.jobQueue)
  if (cluster.isWorker)
    await reportToPrimary({ kind: 'ready', greeting: { text: app.url, isFirst: false } })
  return (order) => obey(app, order)
}

/**
 * Obeys an order. 'run-jobs' runs the jobs that end files and uploads and remove their bytes. Of the
 * other jobs, those about mail run by themselves, and the rest does nothing that the play checks.
 */
async function obey({ deps, jobQueue }: TestApp, order: Order): Promise<void> {
  switch (order.do) {
    case 'run-jobs':
      await expireFiles(deps)
      await sweepUploads(deps)
      await retryRemovals(deps)
      return
    case 'compare-storage': {
      const { removed, failed, missing } = await compareStorage(deps)
      // In a bucket, an upload may begin after the server has given it up. On a disk nothing can.
      const surplus = deps.config.s3 === null ? removed : 0
      if (surplus + failed + missing === 0) return
      throw new Error(`${removed} without a row, ${failed} not removed, ${missing} missing`)
    }
    case 'end-lost-tries':
      await jobQueue?.boss.supervise(mailQueueName)
      return
    default:
      throw new Error(`a process that serves does not obey ${order.do}`)
  }
}
