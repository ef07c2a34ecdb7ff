import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { DigestAnswer, DigestOrder, DigestThreadData, Question } from './digest-thread.ts'

/** An unhurried thread that has nothing to do for this long is ended. */
const idleMs = 5_000

/**
 * What the thread answers: a SHA-256, or that computing it would take long, or that it was told to
 * forget the file.
 */
export type Digest = { sha256: string } | 'far' | 'forgotten'

/**
 * Runs the thread that computes digests (`digest-thread.ts`). It is started by the first order, and
 * started again if it has ended with an error.
 */
export class DigestWorker {
  readonly #log: Logger
  readonly #data: DigestThreadData
  #thread: Worker | undefined
  #closed = false
  readonly #asked = new Map<number, PromiseWithResolvers<Digest>>()
  #lastQuestion = 0
  #idle: NodeJS.Timeout | undefined

  constructor(log: Logger, data: DigestThreadData) {
    this.#log = log
    this.#data = data
  }

  /** Sends an order to the thread. Returns false when the thread cannot be started. */
  tell(order: DigestOrder): boolean {
    if (this.#closed) return false
    try {
      this.#thread ??= this.#start()
    } catch (error) {
      this.#log.error({ err: error }, 'the digest thread cannot be started')
      return false
    }
    this.#thread.postMessage(order)
    return true
  }

  /**
   * Makes the thread forget a file. If somebody waits for its SHA-256, the answer is 'forgotten',
   * or the SHA-256 if that is just ready.
   */
  forget(key: string): void {
    const order: DigestOrder = { order: 'forget', key }
    this.#thread?.postMessage(order)
  }

  /** Asks the thread for a SHA-256. Returns null when the thread cannot compute it. */
  async ask(what: Omit<Question, 'order' | 'question'>): Promise<Digest | null> {
    clearTimeout(this.#idle)
    this.#lastQuestion += 1
    const question = this.#lastQuestion
    if (!this.tell({ order: 'finish', ...what, question })) return null
    const answer = Promise.withResolvers<Digest>()
    this.#asked.set(question, answer)
    try {
      return await answer.promise
    } catch (error) {
      const { key } = what
      this.#log.warn({ err: error, key }, 'a SHA-256 is computed on the main thread')
      return null
    } finally {
      if (this.#data.isUnhurried) this.#endWhenIdle()
    }
  }

  /** Ends the thread. No other one is started. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    await this.#thread?.terminate()
  }

  #endWhenIdle(): void {
    if (this.#asked.size > 0) return
    // Several questions may end in the same moment, and each of them comes here.
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#thread?.terminate(), idleMs).unref()
  }

  #start(): Worker {
    const thread = new Worker(new URL('./digest-thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
      workerData: this.#data,
    })
    thread.unref()
    thread.on('message', ({ question, error, ...answer }: DigestAnswer) => {
      const asked = this.#asked.get(question)
      this.#asked.delete(question)
      if (answer.sha256 !== undefined) asked?.resolve({ sha256: answer.sha256 })
      else if (answer.isFar) asked?.resolve('far')
      else if (answer.isForgotten) asked?.resolve('forgotten')
      else asked?.reject(new Error(error))
    })
    thread.on('error', (error) => this.#log.error({ err: error }, 'the digest thread failed'))
    thread.on('exit', () => {
      // The next order starts another thread, which reads each file from its beginning.
      this.#thread = undefined
      for (const { reject } of this.#asked.values()) reject(new Error('the digest thread ended'))
      this.#asked.clear()
    })
    return thread
  }
}
