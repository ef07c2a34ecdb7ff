import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, NumberedOrder, Order, Served } from './orders.ts'

const program = fileURLToPath(new URL('served-process.ts', import.meta.url))
/** The folder in which `npm start` keeps compiled code too. With it each start is faster. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url))

/** A server in a process of its own. It can be killed and started again, and keeps its port. */
export interface FaultServer {
  url: string
  /** The time of the server's clock. A restart does not change it. */
  now(): Date
  setClock(now: Date): Promise<void>
  /**
   * Sends an order to the server. Returns null when the server has carried it out; otherwise why it
   * has not.
   */
  order(order: Order): Promise<string | null>
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>
  /**
   * Starts the server if it does not run. Resolves when it takes requests. Rejects if it fails or
   * is killed before that.
   */
  start(): Promise<void>
  /** Ends everything. The server cannot be started again. */
  close(): Promise<void>
}

/**
 * Prepares a server with these settings, but does not start it yet.
 * @param hasStandby whether another process gets ready while the server runs. It saves time where
 * the server is killed often.
 */
export function faultServer(served: Served, hasStandby: boolean): FaultServer {
  let child: ChildProcess | null = null
  /**
   * A process that has loaded its modules, which takes most of the time of a start, and waits until
   * the running one is killed.
   */
  let standby: ChildProcess | null = null
  let now = served.now
  let orders = 0
  const waiting = new Map<number, (failure: string | null) => void>()

  const answered = ({ number, failure }: Answer) => {
    waiting.get(number)?.(failure)
    waiting.delete(number)
  }
  const died = () => {
    child = null
    for (const end of waiting.values()) end('the server died')
    waiting.clear()
  }
  const order = (wanted: Order) =>
    new Promise<string | null>((resolve) => {
      if (child === null) return resolve('the server does not run')
      orders += 1
      waiting.set(orders, resolve)
      // If the message cannot be sent, the server has just died, and `died` answers.
      child.send({ ...wanted, number: orders } satisfies NumberedOrder, () => {})
    })
  const prepare = () =>
    fork(program, {
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, SERVED: JSON.stringify(served) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  const kill = async () => {
    if (child !== null) await killProcess(child)
  }

  return {
    url: `http://127.0.0.1:${served.port}`,
    now: () => new Date(now),
    async setClock(moment) {
      now = moment.getTime()
      await order({ do: 'set-clock', now })
    },
    order,
    kill,
    async start() {
      if (child !== null) return
      child = standby ?? prepare()
      standby = null
      child.on('message', answered)
      child.once('exit', died)
      const failure = await order({ do: 'serve', now })
      if (failure !== null) throw new Error(`The server did not start: ${failure}`)
      if (hasStandby) standby = prepare()
    },
    async close() {
      await kill()
      if (standby) await killProcess(standby)
    },
  }
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
