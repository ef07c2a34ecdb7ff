/**
 * The program that `fault-server.ts` starts: the real server, with a clock that its parent process
 * sets. It serves itself, or starts workers that do. First it only loads its modules. The parent
 * sends orders, of which the first is to serve, and each is answered once.
 */
import cluster from 'node:cluster'
import { inspect } from 'node:util'
import { testClock } from '../support/test-clock.ts'
import { type Answer, isOrder, type NumberedOrder, type Obey, type Served } from './orders.ts'

const served: Served = JSON.parse(process.env.SERVED ?? '{}')
const clock = testClock(new Date(served.now))
/** Whether this process only starts workers, which then serve. */
const startsWorkers = served.processes > 1 && cluster.isPrimary
const wanted = Promise.withResolvers<void>()

function tell(answer: Answer): void {
  process.send?.(answer)
}

/** Loads the modules. Returns the function that begins to serve. */
async function load(): Promise<() => Promise<Obey>> {
  if (startsWorkers) {
    const { startWorkers } = await import('./served-workers.ts')
    return () => startWorkers({ ...served, now: clock().getTime() })
  }
  const { startServer } = await import('./served-app.ts')
  return () => startServer(served, clock)
}

async function serve(): Promise<Obey> {
  const begin = await load()
  await wanted.promise
  return begin()
}

/**
 * Obeys an order. A worker may get one while it still starts. It sets its clock at once, because it
 * serves as soon as it has started.
 */
async function carryOut(order: NumberedOrder): Promise<void> {
  if (order.do === 'serve') {
    clock.set(new Date(order.now))
    wanted.resolve()
    await obey
  } else if (order.do === 'set-clock' && !startsWorkers) clock.set(new Date(order.now))
  else await (await obey)(order)
}

const obey = serve()
process.on('message', (message: unknown) => {
  if (!isOrder(message)) return
  const { number } = message
  carryOut(message).then(
    () => tell({ number, failure: null }),
    (error) => tell({ number, failure: inspect(error) }),
  )
})
// A child whose parent has died must not stay.
process.on('disconnect', () => process.exit(0))
// Nobody orders a worker to serve. It begins as soon as it has loaded its modules.
if (cluster.isWorker) wanted.resolve()
try {
  await obey
} catch (error) {
  // A worker that cannot start, perhaps because the database is away, is replaced by another one.
  if (cluster.isPrimary) throw error
  process.exit(1)
}
