/**
 * The program that `fault-server.ts` starts: the real server, with a clock that its parent process
 * sets. First it only loads its modules. The parent sends orders, of which the first is to serve,
 * and each is answered once.
 */
import { inspect } from 'node:util'
import { testClock } from '../support/test-clock.ts'
import { type Answer, isOrder, type NumberedOrder, type Obey, type Served } from './orders.ts'

const served: Served = JSON.parse(process.env.SERVED ?? '{}')
const clock = testClock(new Date(served.now))
const wanted = Promise.withResolvers<void>()

function tell(answer: Answer): void {
  process.send?.(answer)
}

async function serve(): Promise<Obey> {
  const { startServer } = await import('./served-app.ts')
  await wanted.promise
  return startServer(served, clock)
}

async function carryOut(order: NumberedOrder): Promise<void> {
  if (order.do === 'serve') {
    clock.set(new Date(order.now))
    wanted.resolve()
    await obey
  } else if (order.do === 'set-clock') clock.set(new Date(order.now))
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
await obey
