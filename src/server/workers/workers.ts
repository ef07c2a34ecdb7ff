import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { StartFault } from '../start-fault.ts'
import { type Greeting, stopOrder, type WorkerReport } from './messages.ts'

/**
 * The pause before a dead worker is replaced. It doubles with every worker that dies before it
 * serves or soon after, so that a fault that kills each of them does not keep the processors busy.
 */
const firstPauseMs = 100
const longestPauseMs = 30_000
/** If a worker served for this long before it died, the next pause is `firstPauseMs` again. */
const soundMs = 5_000
/**
 * A worker that was told to stop has `drainMs` and then this time to end. During this time it waits
 * for transfers, jobs and the database, which take less. A worker that has not ended then hangs, so
 * it is killed.
 */
const stopMs = 75_000
/**
 * A worker that takes the place of another and does not serve after this time hangs, so it is
 * killed. A sound one needs seconds. The first start has no limit, because it may migrate a large
 * database.
 */
const startMs = 60_000

/** How a worker ended. */
interface End {
  pid?: number | undefined
  code?: number | null
  signal?: string | null
  /** Why the worker could not start, if it or the system has given a reason. */
  fault?: string | null
}

export interface WorkersOptions {
  /** How many workers serve. */
  count: number
  /** How long a worker that was told to stop goes on answering before it begins to end. */
  drainMs: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /**
   * Is called when no worker serves, and a new one has told why it cannot start, or the system has
   * refused to start its process. It may be called more than once. It is not called for a worker
   * that dies without a reason, because another one is then started after a pause. It is not called
   * during the first start either, because `start` then rejects.
   */
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
  /** The processes that live, each with the time since which it serves; null while it starts. */
  readonly #living = new Map<Worker, { servesSince: number | null }>()
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
    // By default this process would accept the connections and hand them to the workers. If a
    // worker is killed before it has taken a connection, Node gives it to no other worker, and the
    // client waits.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    for (let number = 0; number < this.#options.count; number += 1) this.#fork()
    return this.#started.promise
  }

  /** Returns the workers that serve now. */
  serving(): Worker[] {
    return [...this.#living].flatMap(([worker, { servesSince }]) =>
      servesSince === null ? [] : [worker],
    )
  }

  /** Tells every worker to finish its work and stop. Resolves when all have ended. */
  close(): Promise<void> {
    if (this.#closed) return this.#closed.promise
    this.#closed = Promise.withResolvers()
    for (const pause of this.#pauses) clearTimeout(pause)
    const kill = setTimeout(() => this.#killHanging(), stopMs + this.#options.drainMs)
    void this.#closed.promise.then(() => clearTimeout(kill))
    for (const [worker, { servesSince }] of this.#living) {
      // A worker that is still starting has nothing to finish. It would obey only after its start.
      if (servesSince === null) worker.process.kill('SIGKILL')
      else if (worker.isConnected()) worker.send(stopOrder)
    }
    this.#noteEnds()
    return this.#closed.promise
  }

  /** Ends every worker at once. */
  abandon(): void {
    for (const worker of this.#living.keys()) worker.process.kill('SIGKILL')
  }

  #killHanging(): void {
    const pids = [...this.#living.keys()].map(({ process }) => process.pid)
    this.#options.log.warn({ pids }, 'Workers did not stop in time, and are killed')
    this.abandon()
  }

  #fork(): void {
    let worker: Worker
    try {
      worker = (this.#options.fork ?? (() => cluster.fork()))()
    } catch (error) {
      this.#noteEnd({ fault: forkFault(error) })
      return
    }
    this.#living.set(worker, { servesSince: null })
    if (this.#isStarted) this.#limitStart(worker)
    let fault: string | null = null
    worker.on('message', (report: WorkerReport) => {
      if (report.kind === 'ready') this.#noteReady(worker, report.greeting)
      else if (report.kind === 'fault') fault = report.message
    })
    worker.on('error', (error) => {
      // There are two causes. A message cannot be sent to a worker that is ending: then the event
      // `exit` follows. Or the process could not be started: it has no pid, and no `exit` follows.
      if (worker.process.pid === undefined) this.#noteExit(worker, { fault: forkFault(error) })
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.#noteExit(worker, { code, signal, fault })
    })
  }

  /** Kills the worker if it does not serve in time. Its place is then taken as after any death. */
  #limitStart(worker: Worker): void {
    const kill = setTimeout(() => {
      if (this.#living.get(worker)?.servesSince !== null) return
      this.#options.log.warn(
        { pid: worker.process.pid },
        'A worker did not start in time, and is killed',
      )
      worker.process.kill('SIGKILL')
    }, startMs)
    kill.unref()
    worker.once('exit', () => clearTimeout(kill))
  }

  #noteReady(worker: Worker, greeting: Greeting): void {
    const life = this.#living.get(worker)
    if (life) life.servesSince = performance.now()
    if (greeting.isFirst || this.#greeting === null) this.#greeting = greeting
    if (this.serving().length < this.#options.count) return
    this.#isStarted = true
    this.#started.resolve(this.#greeting)
  }

  #noteExit(worker: Worker, how: End): void {
    const life = this.#living.get(worker)
    if (life === undefined) return
    this.#living.delete(worker)
    this.#noteEnd({ pid: worker.process.pid, ...how }, life.servesSince)
  }

  /** @param servesSince null if the worker never served, or if its process never started. */
  #noteEnd(how: End, servesSince: number | null = null): void {
    this.#noteEnds()
    if (this.#closed) return
    const { code, signal, fault = null } = how
    if (!this.#isStarted) {
      const end = signal ?? `exit code ${code}`
      this.#started.reject(new StartFault(fault ?? `A worker ended while it started (${end}).`))
      return
    }
    if (fault !== null && this.serving().length === 0) {
      this.#options.onLost(new StartFault(fault))
      return
    }
    const wasSound = servesSince !== null && performance.now() - servesSince >= soundMs
    const pauseMs = wasSound ? firstPauseMs : this.#pauseMs()
    this.#diedEarly = wasSound ? 0 : this.#diedEarly + 1
    this.#options.log.error({ ...how, pauseMs }, 'A worker has ended; another one takes its place')
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      this.#fork()
    }, pauseMs)
    this.#pauses.add(pause)
  }

  #pauseMs(): number {
    return Math.min(longestPauseMs, firstPauseMs * 2 ** this.#diedEarly)
  }

  #noteEnds(): void {
    if (this.#living.size === 0) this.#closed?.resolve()
  }
}

function forkFault(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  return `A worker process could not be started: ${reason}`
}
