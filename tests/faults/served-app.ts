import { pino } from 'pino'
import { isDatabaseUnavailable } from '../../src/server/db/db-errors.ts'
import { type PoolLimits, poolLimits } from '../../src/server/db/pool.ts'
import { mailQueueName, openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { sendQueuedMail } from '../../src/server/jobs/jobs.ts'
import { logSerializers } from '../../src/server/logging/log.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'
import { hangMs } from '../support/hang.ts'
import type { TestClock } from '../support/test-clock.ts'
import { expectSame, runJobs } from './jobs.ts'
import type { Obey, Order, Served } from './orders.ts'

/**
 * Shorter limits, so that a silent database costs a round five seconds and not thirty. They are not
 * shorter still, because on a busy machine the database may take a second or two to answer.
 */
const shortLimits: PoolLimits = {
  connections: 10,
  waiting: 1000,
  connectMs: 3000,
  lockMs: 4000,
  statementMs: 4000,
  idleInTransactionMs: 4000,
  answerMs: 5000,
}

/** Starts the server in this process. Resolves when it serves. */
export async function startServer(served: Served, clock: TestClock): Promise<Obey> {
  const { databaseUrl, dataDir, port, env, limits } = served
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
  if (app.jobQueue) await sendQueuedMail(app.deps, app.jobQueue)
  return (order) => obey(app, order)
}

/** Repeats work while the database does not answer. On a busy machine it may be too slow. */
async function whileAway(work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + hangMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error
    }
  }
}

/**
 * Obeys an order. Of the jobs that 'run-jobs' leaves out, those about mail run by themselves, and
 * the rest does nothing that the play checks.
 */
async function obey({ deps, jobQueue }: TestApp, order: Order): Promise<void> {
  switch (order.do) {
    case 'run-jobs':
      return order.untilDone ? whileAway(() => runJobs(deps)) : runJobs(deps)
    case 'compare-storage':
      return whileAway(() => expectSame(deps))
    case 'end-lost-tries':
      await jobQueue?.boss.supervise(mailQueueName)
      return
    default:
      throw new Error(`a process that serves does not obey ${order.do}`)
  }
}
