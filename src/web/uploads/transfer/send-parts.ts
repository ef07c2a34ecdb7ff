import { type PartPlan, partRange } from '../../../shared/rules/files/part-plan.ts'
import type { CallResponse } from '../../api/call.ts'
import type { TransferJob } from '../upload-ports.ts'
import { putBytes, type TransferDeps, toTransferError } from './put-bytes.ts'
import { Retries, type RetryOptions } from './retry-policy.ts'
import { findStoredParts } from './stored-parts.ts'
import { callWithRetries, requireValue, type SignParts } from './upload-calls.ts'

/**
 * Number of parts sent in parallel. Browsers open at most six HTTP/1.1 connections per host, and
 * API calls need some of them.
 */
export const maxConnections = 4
/** Number of parts whose URLs are signed in one call. */
const urlsPerCall = 16

/** Presigned part URLs by part number. */
type PartUrls = CallResponse<'POST /api/files/upload-parts'>['urls']

export interface PartsDeps extends TransferDeps {
  signParts: SignParts
}

/**
 * Sends a file to storage in parts over parallel connections. A failed part is retried while the
 * other connections continue. Parts already in storage from an earlier attempt are compared with
 * the file instead of being resent.
 *
 * Resolves when storage has all parts. No work is left running once the promise settles.
 * @throws {TransferError} when no further attempt is made.
 * @throws {FileUnreadableError} if the file is unreadable while a checksum is computed.
 * @throws the signal's reason when aborted.
 */
export function sendParts(job: TransferJob, plan: PartPlan, deps: PartsDeps): Promise<void> {
  return new PartsTransfer(job, plan, deps).run()
}

class PartsTransfer {
  readonly #job: TransferJob
  readonly #plan: PartPlan
  readonly #deps: PartsDeps
  /** Ends all connections after a part fails permanently. */
  readonly #aborter = new AbortController()
  readonly #signal: AbortSignal
  /** The numbers of the parts that storage has. */
  readonly #storedParts = new Set<number>()
  #storedBytes = 0
  /** Bytes sent so far for each part in progress, by part number. */
  readonly #sentBytes = new Map<number, number>()
  /** Presigned URLs by part number. Parts whose URLs were signed in one call share a promise. */
  readonly #urls = new Map<number, Promise<PartUrls>>()
  #connectionCount = 0
  /** Number of connections that are sending rather than waiting to retry. */
  #sendingCount = 0
  readonly #retryOptions: RetryOptions

  constructor(job: TransferJob, plan: PartPlan, deps: PartsDeps) {
    this.#job = job
    this.#plan = plan
    this.#deps = deps
    this.#signal = AbortSignal.any([job.signal, this.#aborter.signal])
    this.#retryOptions = {
      signal: this.#signal,
      // As long as any part is being sent, the upload as a whole isn't interrupted.
      onInterrupted: (interruption) => this.#sendingCount === 0 && job.onInterrupted(interruption),
      progress: () => this.#storedParts.size,
    }
  }

  async run(): Promise<void> {
    const storedParts = await findStoredParts(this.#job, this.#plan, this.#deps.checksums)
    for (const partNumber of storedParts) this.#markStored(partNumber)
    this.#reportProgress()
    const connect = () => this.#connect().catch((error: unknown) => this.#aborter.abort(error))
    await Promise.all(Array.from({ length: maxConnections }, connect))
    this.#signal.throwIfAborted()
  }

  /** Sends parts until none is left or this connection has to close. */
  async #connect(): Promise<void> {
    this.#connectionCount += 1
    try {
      for (let partNumber = this.#nextPart(); partNumber !== null; partNumber = this.#nextPart()) {
        const isOpen = await this.#sendPart(partNumber)
        if (!isOpen) return
      }
    } finally {
      this.#connectionCount -= 1
    }
  }

  /**
   * Returns the number of the first part that is neither stored nor in progress, or null if there
   * is none.
   */
  #nextPart(): number | null {
    for (let partNumber = 1; partNumber <= this.#plan.count; partNumber += 1) {
      if (!this.#storedParts.has(partNumber) && !this.#sentBytes.has(partNumber)) return partNumber
    }
    return null
  }

  /**
   * Sends a part until storage has it. Returns false if this connection has to close because the
   * network is too slow for several at once.
   */
  async #sendPart(partNumber: number): Promise<boolean> {
    const retries = new Retries(this.#retryOptions, this.#deps)
    this.#sentBytes.set(partNumber, 0)
    try {
      for (;;) {
        const response = await this.#putPart(partNumber, retries.stallMs)
        if (response === null) {
          this.#markStored(partNumber)
          return true
        }
        this.#sentBytes.set(partNumber, 0)
        this.#reportProgress()
        // Storage may reject an expired URL by closing the connection, so request a new URL after
        // each failure. Replace the other URLs as well, because they are just as old.
        this.#urls.clear()
        // Parallel parts share the bandwidth. At 20 KB/s, four of them would always time out.
        if (response.kind === 'timeout' && this.#connectionCount > 1) return false
        if (!(await retries.waitForNext(response))) throw toTransferError(response)
      }
    } finally {
      this.#sentBytes.delete(partNumber)
      this.#reportProgress()
    }
  }

  async #putPart(partNumber: number, stallMs: number) {
    const url = await this.#urlOf(partNumber)
    const { offset, size } = this.#range(partNumber)
    const onSent = (bytes: number) => {
      if (!this.#sentBytes.has(partNumber)) return
      this.#sentBytes.set(partNumber, Math.min(bytes, size))
      this.#reportProgress()
    }
    this.#sendingCount += 1
    try {
      const piece = { url, offset, size, stallMs, signal: this.#signal, onSent }
      return await putBytes(this.#job, piece, this.#deps)
    } finally {
      this.#sendingCount -= 1
    }
  }

  async #urlOf(partNumber: number): Promise<string> {
    const urls = await (this.#urls.get(partNumber) ?? this.#signUrls(partNumber))
    const url = urls[partNumber]
    if (url === undefined) throw new Error(`no URL for part ${partNumber}`)
    return url
  }

  /** Requests presigned URLs for this part and the following ones. */
  #signUrls(firstPart: number): Promise<PartUrls> {
    const count = Math.min(urlsPerCall, this.#plan.count - firstPart + 1)
    const partNumbers = Array.from({ length: count }, (_, index) => firstPart + index)
    const { cloudKey, uploadToken } = this.#job.ticket
    const signCall = {
      call: this.#deps.signParts,
      input: { cloudKey, uploadToken, partNumbers },
      isAbortable: true,
    }
    const urlsPromise = callWithRetries(signCall, this.#retryOptions, this.#deps).then(
      (outcome) => requireValue(outcome).urls,
    )
    for (const partNumber of partNumbers) this.#urls.set(partNumber, urlsPromise)
    return urlsPromise
  }

  #markStored(partNumber: number) {
    this.#storedParts.add(partNumber)
    this.#storedBytes += this.#range(partNumber).size
    this.#sentBytes.delete(partNumber)
  }

  #range(partNumber: number) {
    return partRange(this.#job.file.size, this.#plan.size, partNumber)
  }

  #reportProgress() {
    const bytesInProgress = [...this.#sentBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
    this.#job.onProgress(this.#storedBytes + bytesInProgress)
  }
}
