/**
 * The program that `fault-server.ts` starts: the real server in a process of its own, with a clock
 * that the parent sets. The parent sends orders, and each is answered once.
 */
import { expireFiles } from '../../src/server/files/expire-files.ts'
import { compareStorage } from '../../src/server/jobs/compare-storage.ts'
import { retryRemovals } from '../../src/server/uploads/retry-removals.ts'
import { sweepUploads } from '../../src/server/uploads/sweep-uploads.ts'
import { serveApp, type TestApp } from '../support/app-server.ts'

/** What the parent can order. `now` is in milliseconds since 1970. */
export type Order =
  | { do: 'set-clock'; now: number }
  | { do: 'run-jobs' }
  | { do: 'compare-storage' }

/** An order with its number. The answer has the same number. */
export type NumberedOrder = Order & { number: number }
export type Answer = { ready: string } | { number: number; failure: string | null }

/** What the parent gives in the environment variable SERVED, as JSON. */
export interface Served {
  databaseUrl: string
  dataDir: string
  port: number
  /** The moment at which the clock starts, in milliseconds since 1970. */
  now: number
  /** Whether other servers may use the folder too. The real server assumes so with DATABASE_URL. */
  isOneOfSeveral: boolean
}

/** Short limits, so that a silent database costs a round two seconds and not thirty. */
const poolLimits = {
  connections: 10,
  waiting: 1000,
  connectMs: 500,
  lockMs: 1000,
  statementMs: 1500,
  idleInTransactionMs: 1500,
  answerMs: 2000,
}

/**
 * Obeys an order. 'run-jobs' runs the jobs that end files and uploads and remove their bytes: only
 * these can break what the game checks. No player has a trial, a report or a letter.
 */
async function obey({ deps, clock }: TestApp, order: Order): Promise<void> {
  if (order.do === 'set-clock') return clock.set(new Date(order.now))
  if (order.do === 'compare-storage') return void (await compareStorage(deps))
  await expireFiles(deps)
  await sweepUploads(deps)
  await retryRemovals(deps)
}

function tell(answer: Answer): void {
  process.send?.(answer)
}

const { databaseUrl, dataDir, port, now, isOneOfSeveral }: Served = JSON.parse(
  process.env.SERVED ?? '{}',
)
const app = await serveApp(
  { url: databaseUrl, drop: async () => {} },
  { dataDir, env: { PORT: String(port) }, poolLimits, isOneOfSeveral },
)
app.clock.set(new Date(now))
process.on('message', ({ number, ...order }: NumberedOrder) => {
  obey(app, order).then(
    () => tell({ number, failure: null }),
    (error) => tell({ number, failure: String(error) }),
  )
})
// A child whose parent has died must not stay.
process.on('disconnect', () => process.exit(0))
tell({ ready: app.url })
