import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { StartFault } from '../start-fault.ts'
import { type Greeting, stopOrder, type WorkerReport } from './messages.ts'

/**
 * The pause before a dead worker is replaced. It doubles with every worker that dies soon after its
 * start, so that a fault that kills each of them does not keep the processors busy.
 */
const firstPauseMs = 100
const longestPauseMs = 30_000
/** A worker that lived this long did not die of its start. */
const longLifeMs = 60_000
/**
 * A worker that was told to stop and has not ended after this time hangs, and is killed. Its own
 * waits (for transfers, jobs and the database) are shorter together.
 */
const stopMs = 75_000

export interface WorkersOptions {
  /** How many workers serve. */
  count: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Is called once when no worker serves and none can be started. */
  onLost(error: unknown): void
  /** Starts a process. Tests give their own. */
  fork?: () => Worker
}

/**
 * Keeps several processes of the server running behind one port (node:cluster). They share the
 * port, and each accepts connections from it. A worker that dies is replaced.
 */
export class Workers {
  readonly #options: WorkersOptions
  /** The processes that live, each with the time of its start and whether it serves. */
  readonly #living = new Map<Worker, { since: number; serves: boolean }>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  readonly #started = Promise.withResolvers<Greeting>()
  #greeting: Greeting | null = null
  #isStarted = false
  #diedEarly = 0
  #closed: PromiseWithResolvers<void> | null = null

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /**
   * Starts the workers. Resolves when all of them serve.
   * @throws {StartFault} when one of them cannot start. The others must then be closed.
   */
  start(): Promise<Greeting> {
    // By default this process would accept the connections and hand them to the workers. One that
    // is on its way to a worker that is killed would then stay open, and its client would wait.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    for (let number = 0; number < this.#options.count; number += 1) this.#fork()
    return this.#started.promise
  }

  /** Tells every worker to stop in order. Resolves when all have ended. */
  close(): Promise<void> {
    if (this.#closed) return this.#closed.promise
    this.#closed = Promise.withResolvers()
    for (const pause of this.#pauses) clearTimeout(pause)
    const kill = setTimeout(() => this.abandon(), stopMs)
    void this.#closed.promise.then(() => clearTimeout(kill))
    for (const [worker, { serves }] of this.#living) {
      // A worker that only starts has nothing to finish, and would first end its start.
      if (!serves) worker.process.kill('SIGKILL')
      else if (worker.isConnected()) worker.send(stopOrder)
    }
    this.#noteEnds()
    return this.#closed.promise
  }

  /** Ends every worker at once. */
  abandon(): void {
    for (const worker of this.#living.keys()) worker.process.kill('SIGKILL')
  }

  #fork(): void {
    const worker = (this.#options.fork ?? (() => cluster.fork()))()
    this.#living.set(worker, { since: performance.now(), serves: false })
    let fault: string | null = null
    worker.on('message', (report: WorkerReport) => {
      if (report.kind === 'ready') this.#noteReady(worker, report.greeting)
      else if (report.kind === 'fault') fault = report.message
    })
    // A message to a worker that is just ending cannot be sent. Its exit says the rest.
    worker.on('error', () => {})
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.#noteExit(worker, { code, signal, fault })
    })
  }

  #noteReady(worker: Worker, greeting: Greeting): void {
    const life = this.#living.get(worker)
    if (life) life.serves = true
    if (greeting.isFirst || this.#greeting === null) this.#greeting = greeting
    if (this.#serving() < this.#options.count) return
    this.#isStarted = true
    this.#started.resolve(this.#greeting)
  }

  #noteExit(
    worker: Worker,
    { code, signal, fault }: { code: number | null; signal: string | null; fault: string | null },
  ): void {
    const { since = 0 } = this.#living.get(worker) ?? {}
    this.#living.delete(worker)
    this.#noteEnds()
    if (this.#closed) return
    if (!this.#isStarted) {
      const how = signal ?? `exit code ${code}`
      this.#started.reject(new StartFault(fault ?? `A worker ended while it started (${how}).`))
      return
    }
    if (fault !== null && this.#serving() === 0) {
      this.#options.onLost(new StartFault(fault))
      return
    }
    const livedLong = performance.now() - since >= longLifeMs
    const pauseMs = livedLong ? firstPauseMs : this.#pauseMs()
    this.#diedEarly = livedLong ? 0 : this.#diedEarly + 1
    const how = { pid: worker.process.pid, code, signal, fault, pauseMs }
    this.#options.log.error(how, 'A worker has ended; another one takes its place')
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      this.#fork()
    }, pauseMs)
    this.#pauses.add(pause)
  }

  #serving(): number {
    return [...this.#living.values()].filter(({ serves }) => serves).length
  }

  #pauseMs(): number {
    return Math.min(longestPauseMs, firstPauseMs * 2 ** this.#diedEarly)
  }

  #noteEnds(): void {
    if (this.#living.size === 0) this.#closed?.resolve()
  }
}
