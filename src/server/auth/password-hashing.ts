import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { threadLimits } from '../thread-limits.ts'
import type { Passwords } from './auth.ts'
import { FairQueue } from './fair-queue.ts'
import type { HashCost, PasswordOrder } from './password-thread.ts'

/**
 * The cost that Better Auth uses, so that stored hashes stay valid. Each hash takes 32 MiB and
 * about 50 ms.
 */
const betterAuthCost: HashCost = { N: 16_384, r: 16, p: 1 }
const queueLimits = { most: 96, mostOfOne: 32 }

/**
 * The client for whom passwords are hashed, and the key that `hashedFirst` has computed already.
 */
interface Caller {
  client: string
  ready?: { password: string; salt: string; key: Uint8Array }
}

interface Job {
  order: PasswordOrder
  key: PromiseWithResolvers<Uint8Array>
}

/**
 * Hashes passwords one at a time on a thread of its own, in the format of Better Auth. So Node's
 * thread pool stays free for files. Other passwords wait in a queue of limited length, which takes
 * one of each client in turn. If the thread ends with an error, the current hash fails, and the
 * next hash starts another thread.
 */
export class PasswordHashing implements Passwords {
  readonly #log: Pick<Logger, 'error'>
  readonly #cost: HashCost
  readonly #caller = new AsyncLocalStorage<Caller>()
  readonly #queue = new FairQueue<Job>(queueLimits)
  #thread: Worker | undefined
  #atWork: Job | undefined
  #closed = false

  /**
   * @param cost tests use a lower one. With another cost in production, no stored password would be
   * right.
   */
  constructor(log: Pick<Logger, 'error'>, cost: HashCost = betterAuthCost) {
    this.#log = log
    this.#cost = cost
  }

  forClient<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
    return this.#caller.run({ client }, work)
  }

  async hashedFirst<Result>(
    client: string,
    { password, salt = newSalt() }: { password: string; salt?: string },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const key = await this.forClient(client, () => this.#derive(password, salt))
    return this.#caller.run({ client, ready: { password, salt, key } }, work)
  }

  async hash(password: string, salt?: string): Promise<string> {
    const ready = this.#caller.getStore()?.ready
    const chosen = salt ?? (ready?.password === password ? ready.salt : newSalt())
    const key = await this.#derive(password, chosen)
    return `${chosen}:${Buffer.from(key).toString('hex')}`
  }

  async verify({ hash, password }: { hash: string; password: string }): Promise<boolean> {
    const [salt, hex] = hash.split(':')
    if (!salt || !hex) throw new Error('The stored hash of a password is damaged')
    const expected = Buffer.from(hex, 'hex')
    const key = await this.#derive(password, salt)
    return key.length === expected.length && timingSafeEqual(key, expected)
  }

  /** Ends the thread. Callers that wait, and later callers, get UNAVAILABLE. */
  async close(): Promise<void> {
    this.#closed = true
    for (let job = this.#queue.take(); job; job = this.#queue.take()) job.key.reject(away())
    await this.#thread?.terminate()
  }

  #derive(password: string, salt: string): Promise<Uint8Array> {
    const caller = this.#caller.getStore()
    const { ready } = caller ?? {}
    if (ready?.password === password && ready.salt === salt) return Promise.resolve(ready.key)
    if (this.#closed) return Promise.reject(away())
    const job: Job = {
      order: { password, salt, cost: this.#cost },
      key: Promise.withResolvers(),
    }
    this.#queue.add(caller?.client ?? 'the server itself', job)?.key.reject(busy())
    this.#workOn()
    return job.key.promise
  }

  #workOn(): void {
    if (this.#atWork || this.#closed) return
    const job = this.#queue.take()
    if (!job) return
    this.#atWork = job
    try {
      this.#thread ??= this.#start()
      this.#thread.postMessage(job.order)
    } catch (error) {
      this.#log.error({ err: error }, 'the password thread cannot be started')
      this.#done()?.key.reject(away(error))
    }
  }

  /** Notes that the current job has ended, and returns it. The next job begins a moment later. */
  #done(): Job | undefined {
    const job = this.#atWork
    this.#atWork = undefined
    setImmediate(() => this.#workOn())
    return job
  }

  #start(): Worker {
    const thread = new Worker(new URL('./password-thread.ts', import.meta.url), {
      resourceLimits: threadLimits,
      // The thread needs no environment. With one, `node --watch` would make the thread send
      // messages that are not keys.
      env: {},
    })
    thread.unref()
    thread.on('message', (key: Uint8Array) => this.#done()?.key.resolve(key))
    thread.on('error', (error) => this.#log.error({ err: error }, 'the password thread failed'))
    thread.on('exit', () => {
      this.#thread = undefined
      this.#done()?.key.reject(away())
    })
    return thread
  }
}

function newSalt(): string {
  return randomBytes(16).toString('hex')
}

function busy(): AppError {
  return new AppError('PASSWORDS_BUSY')
}

function away(cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', { headers: { 'retry-after': '1' }, cause })
}
