import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { pino } from 'pino'
import { Workers } from '../../src/server/workers/workers.ts'
import { isAnswer, type NumberedOrder, type Obey, type Order, type Served } from './orders.ts'

/**
 * Starts workers as the real server does, and passes orders on to them. Resolves when all serve.
 */
export async function startWorkers(served: Served): Promise<Obey> {
  let { now } = served
  let asked = 0
  const workers = new Workers({
    count: served.processes,
    drainMs: 0,
    log: pino({ level: process.env.LOG_LEVEL ?? 'silent' }, pino.destination(2)),
    onLost: (error) => {
      throw error
    },
    fork: () => cluster.fork({ SERVED: JSON.stringify({ ...served, now }) }),
  })
  await workers.start()
  const someWorker = (draw: number) => {
    const serving = workers.serving()
    return serving[draw % serving.length]
  }
  const ask = (worker: Worker, order: Order) => {
    asked += 1
    return askWorker(worker, { ...order, number: asked })
  }

  return async (order) => {
    switch (order.do) {
      case 'set-clock': {
        now = order.now
        const living = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
        // A worker that dies first needs no clock.
        await Promise.allSettled(living.map((worker) => ask(worker, order)))
        return
      }
      case 'kill-worker': {
        const worker = someWorker(order.draw)
        if (worker === undefined) return
        const gone = once(worker, 'exit')
        worker.process.kill('SIGKILL')
        await gone
        return
      }
      default: {
        const worker = someWorker(order.number)
        if (worker === undefined) throw new Error('no worker serves')
        await ask(worker, order)
      }
    }
  }
}

/** Sends an order to a worker. Rejects if the worker fails or dies first. */
function askWorker(worker: Worker, order: NumberedOrder): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (failure: string | null) => {
      worker.off('message', onMessage)
      worker.off('exit', onExit)
      if (failure === null) resolve()
      else reject(new Error(failure))
    }
    const onMessage = (message: unknown) => {
      if (isAnswer(message) && message.number === order.number) end(message.failure)
    }
    const onExit = () => end('the worker died')
    worker.on('message', onMessage)
    worker.on('exit', onExit)
    // An error of `send` needs no handling. It means that the worker has just died, so `onExit` is
    // called next.
    worker.send(order, () => {})
  })
}
