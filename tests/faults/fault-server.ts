import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, NumberedOrder, Order, Served } from './served-process.ts'

const program = fileURLToPath(new URL('served-process.ts', import.meta.url))
/** The folder in which `npm start` keeps compiled code too. With it each start is faster. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url))

/** A server in a process of its own. It can be killed and started again, and keeps its port. */
export interface FaultServer {
  url: string
  isRunning(): boolean
  /** The time of the server's clock. A restart does not change it. */
  now(): Date
  setClock(now: Date): Promise<void>
  /**
   * Sends an order to the server. Returns whether the server has carried it out; false if it failed
   * or the server died first.
   */
  order(order: Order): Promise<boolean>
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>
  /** Starts the server if it does not run. Resolves when it takes requests. */
  start(): Promise<void>
}

/** Prepares a server with these settings, but does not start it yet. */
export function faultServer(served: Served): FaultServer {
  let child: ChildProcess | null = null
  let now = served.now
  let orders = 0
  const waiting = new Map<number, (isDone: boolean) => void>()

  const answered = (answer: Answer) => {
    if ('ready' in answer) return
    waiting.get(answer.number)?.(answer.failure === null)
    waiting.delete(answer.number)
  }
  const died = () => {
    child = null
    for (const end of waiting.values()) end(false)
    waiting.clear()
  }
  const order = (wanted: Order) =>
    new Promise<boolean>((resolve) => {
      if (child === null) return resolve(false)
      orders += 1
      waiting.set(orders, resolve)
      child.send({ ...wanted, number: orders } satisfies NumberedOrder)
    })

  return {
    url: `http://127.0.0.1:${served.port}`,
    isRunning: () => child !== null,
    now: () => new Date(now),
    async setClock(moment) {
      now = moment.getTime()
      await order({ do: 'set-clock', now })
    },
    order,
    async kill() {
      if (child === null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    async start() {
      if (child !== null) return
      const started = fork(program, {
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: compileCache,
          SERVED: JSON.stringify({ ...served, now }),
        },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      started.on('message', answered)
      started.once('exit', died)
      child = started
      await Promise.race([once(started, 'message'), failIfEnded(started)])
    },
  }
}

async function failIfEnded(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit')
  throw new Error(`The server ended while it started, with ${signal ?? code}.`)
}
