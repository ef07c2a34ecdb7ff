import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { AppError } from '../../errors.ts'
import type { ObjectDigest } from '../storage.ts'
import type { HashRequest, HashResponse } from './hash-thread.ts'

/** Computes checksums of files in a single worker thread, which starts on first use. */
export class FileHasher {
  readonly #log: Logger
  readonly #waiting = new Map<number, PromiseWithResolvers<ObjectDigest | null>>()
  #lastId = 0
  #thread: Worker | undefined
  #closed = false

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * Returns a file's checksums, or null if the file doesn't exist.
   * @throws {AppError} UNAVAILABLE if the file can't be read or the server is stopping.
   */
  async digest(path: string): Promise<ObjectDigest | null> {
    if (this.#closed) throw new AppError('UNAVAILABLE')
    this.#thread ??= this.#start()
    this.#lastId += 1
    const request: HashRequest = { id: this.#lastId, path }
    const response = Promise.withResolvers<ObjectDigest | null>()
    this.#waiting.set(request.id, response)
    this.#thread.postMessage(request)
    return response.promise
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.terminate()
  }

  #start(): Worker {
    // The bundle has it as JavaScript, in the same folder.
    const thread = new Worker(
      new URL(`./hash-thread${extname(import.meta.filename)}`, import.meta.url),
    )
    thread.unref()
    thread.on('message', ({ id, digest, error }: HashResponse) => {
      const pendingRequest = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) pendingRequest?.resolve(digest)
      else pendingRequest?.reject(unavailable(error))
    })
    thread.on('error', (error) => this.#log.error({ err: error }, 'the hash thread failed'))
    thread.on('exit', () => {
      this.#thread = undefined
      for (const { reject } of this.#waiting.values()) reject(unavailable('the hash thread ended'))
      this.#waiting.clear()
    })
    return thread
  }
}

function unavailable(reason: string): AppError {
  return new AppError('UNAVAILABLE', { cause: new Error(reason) })
}
