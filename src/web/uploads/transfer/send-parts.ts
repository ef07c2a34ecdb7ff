import type { PartPlan } from '../../../shared/rules/files/part-plan.ts'
import type { Interruption } from '../interruption.ts'
import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import { Concurrency, type PartEnd } from './concurrency.ts'
import { isReadable } from './hash-blob.ts'
import { PartProgress } from './part-progress.ts'
import { createPartUrls, type PartUrls } from './part-urls.ts'
import { Retries } from './retry.ts'
import { type FailedTry, failureOf, stallLimitMs, type Tries, verdictOn } from './retry-policy.ts'
import type { TransferDeps } from './send-whole-file.ts'
import { checksumHeader, requestTimeoutMs, type StorageAnswer } from './storage-request.ts'
import { CallRefused, callForPart, type PartCalls } from './upload-calls.ts'
import { HeldPartsCheck, isOwnPart } from './verify-held-parts.ts'

/** What sending parts needs from the server and the browser. */
export interface PartsDeps extends TransferDeps, PartCalls {
  /** Returns milliseconds since an arbitrary moment, for measuring durations. */
  now: () => number
}

/**
 * Sends a file to storage in parts, over several connections in parallel. A failed part is sent
 * again while the other connections continue. If an answer was lost, storage is asked for its parts
 * before the part is sent again. The parts that storage has from an earlier attempt are compared
 * with the file meanwhile, and sent again where they differ.
 *
 * Resolves when storage has all parts. When the promise settles, no work is left running.
 * @throws {TransferFailed} when no further attempt is made. Its kind is `unreadable` when the file
 * was changed or removed, or when storage has all parts of another version of the file.
 * @throws {FileUnreadable} when the file cannot be read while a checksum is computed.
 * @throws the reason of the signal when it is aborted.
 */
export function sendParts(job: TransferJob, plan: PartPlan, deps: PartsDeps): Promise<void> {
  return new PartsTransfer(job, plan, deps).run()
}

class PartsTransfer {
  readonly #job: TransferJob
  readonly #deps: PartsDeps
  /** Ends all work when one part fails and is not repeated. */
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  readonly #parts: PartProgress
  readonly #heldCheck: HeldPartsCheck
  readonly #urls: PartUrls
  readonly #concurrency: Concurrency
  readonly #checksums = new Map<number, Promise<string | null>>()
  /**
   * The attempts of each part, by part number. When another connection takes over a part, the
   * counts continue.
   */
  readonly #retries = new Map<number, Retries>()
  /** How many parts had arrived in storage when a part last failed, by the number of that part. */
  readonly #arrivalsAtFailure = new Map<number, number>()
  readonly #running = new Set<Promise<void>>()
  /**
   * The number of connections. Each sends one part at a time, or waits before it sends its part
   * again.
   */
  #connections = 0
  #isComparing = true

  constructor(job: TransferJob, plan: PartPlan, deps: PartsDeps) {
    this.#job = job
    this.#deps = deps
    this.#signal = AbortSignal.any([job.signal, this.#end.signal])
    this.#parts = new PartProgress(job.file.size, plan)
    this.#parts.learn(job.held, [], null)
    this.#heldCheck = new HeldPartsCheck(job, this.#parts)
    this.#urls = createPartUrls(byNumber(job.partUrls), {
      sign: (partNumbers) => this.#sign(partNumbers),
      upcoming: () => this.#parts.upcoming(),
      now: deps.now,
    })
    this.#concurrency = new Concurrency(plan.size, deps.now)
  }

  async run(): Promise<void> {
    this.#report()
    this.#start(this.#compareHeld())
    this.#openConnections()
    while (this.#running.size > 0) await Promise.race(this.#running)
    this.#signal.throwIfAborted()
  }

  /**
   * Starts work that runs in parallel with all other work. The first work that fails ends all
   * others.
   */
  #start(work: Promise<void>) {
    const running = work
      .catch((error: unknown) => this.#end.abort(error))
      .then(() => {
        this.#running.delete(running)
        this.#openConnections()
      })
    this.#running.add(running)
  }

  async #compareHeld(): Promise<void> {
    const onDifferent = () => {
      this.#report()
      this.#openConnections()
    }
    await this.#heldCheck.run((part) => this.#isOwn(part), onDifferent, this.#signal)
    this.#isComparing = false
  }

  /** Opens as many connections as the limit allows, while parts are left. */
  #openConnections() {
    if (!this.#isComparing) this.#heldCheck.release()
    while (!this.#signal.aborted && this.#connections < this.#concurrency.limit) {
      const partNumber = this.#parts.beginNext()
      if (partNumber === null) return
      this.#connections += 1
      this.#start(
        this.#sendOneByOne(partNumber).finally(() => {
          this.#connections -= 1
        }),
      )
    }
  }

  /** True when there are more connections than the limit allows. */
  #isSurplus(): boolean {
    return this.#connections > this.#concurrency.limit
  }

  /**
   * Runs one connection: sends one part after another, until none is left or the limit allows fewer
   * connections.
   */
  async #sendOneByOne(first: number): Promise<void> {
    for (let partNumber: number | null = first; partNumber !== null; ) {
      try {
        await this.#send(partNumber)
      } finally {
        this.#parts.release(partNumber)
        this.#checksums.delete(partNumber)
        this.#report()
      }
      partNumber = this.#isSurplus() ? null : this.#parts.beginNext()
    }
  }

  /**
   * Sends one part, and repeats it after failures. Resolves when storage has the part, or when the
   * limit allows fewer connections and another connection will send the part.
   */
  async #send(partNumber: number): Promise<void> {
    const retries = this.#retriesOf(partNumber)
    let failed = await this.#try(partNumber, retries.tries)
    while (failed && (await retries.waitForNext(failed))) {
      failed = await this.#try(partNumber, retries.tries)
    }
    if (!failed) return
    this.#signal.throwIfAborted()
    throw failureOf(failed)
  }

  #retriesOf(partNumber: number): Retries {
    const onInterrupted = (why: Interruption) => this.#interrupted(why)
    const options = { signal: this.#signal, onInterrupted }
    const retries = this.#retries.get(partNumber) ?? new Retries(options, this.#deps)
    this.#retries.set(partNumber, retries)
    return retries
  }

  /** Reports an interruption, unless another part is being sent and may still make progress. */
  #interrupted(why: Interruption) {
    if (this.#concurrency.inFlight === 0) this.#job.onInterrupted(why)
  }

  /**
   * Makes one attempt to send a part. Returns how the attempt failed; null when this connection has
   * nothing left to do for the part.
   */
  async #try(partNumber: number, tries: Tries): Promise<FailedTry | null> {
    this.#signal.throwIfAborted()
    if (this.#isSurplus()) return null
    try {
      if (tries.askStorage) await this.#askWhatIsHeld(partNumber)
      if (this.#parts.holds(partNumber)) return null
      const ready = [this.#urls.get(partNumber), this.#checksum(partNumber)] as const
      const [url, checksum] = await Promise.all(ready)
      const answer = await this.#put(partNumber, url, checksum, tries.stalled)
      if (answer === null || this.#parts.holds(partNumber)) return null
      return await this.#afterFailure(partNumber, { request: 'put', answer })
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error
      return await this.#afterFailure(partNumber, error.failed)
    }
  }

  /**
   * Sends the bytes of a part once. Returns null when the sending was stopped so that other parts
   * get the whole bandwidth.
   */
  async #put(
    partNumber: number,
    url: string,
    checksum: string | null,
    stalled: number,
  ): Promise<StorageAnswer | null> {
    const { ticket, contentType } = this.#job
    const body = this.#slice(partNumber)
    const stop = new AbortController()
    this.#concurrency.begin(partNumber, body.size, () => stop.abort())
    this.#report()
    const sending = this.#deps.send({
      method: 'PUT',
      url,
      headers: { 'Content-Type': contentType, ...checksumHeader(ticket.checksum, checksum) },
      body,
      timeoutMs: requestTimeoutMs,
      stallMs: stallLimitMs(stalled),
      signal: AbortSignal.any([this.#signal, stop.signal]),
      onSent: (bytes) => {
        this.#parts.sent(partNumber, bytes)
        this.#report()
        this.#concurrency.sent(partNumber, bytes)
      },
    })
    this.#computeNextChecksum()
    let end: PartEnd = 'lost'
    try {
      const answer = await sending
      if (verdictOn({ request: 'put', answer }) === 'stored') end = 'held'
      else if (answer.kind === 'timeout') end = 'timed-out'
      return answer
    } catch (error) {
      if (stop.signal.aborted && !this.#signal.aborted) return null
      throw error
    } finally {
      this.#concurrency.end(partNumber, end)
      if (end === 'held') this.#stored(partNumber)
    }
  }

  #stored(partNumber: number) {
    this.#heldCheck.sent(partNumber)
    this.#parts.hold(partNumber)
    this.#openConnections()
  }

  /**
   * Prepares a part for its next attempt. Returns the failure, whose `progress` says whether other
   * parts arrived since this part last failed.
   * @throws {TransferFailed} as `unreadable` when the attempt failed because the file cannot be
   * read.
   */
  async #afterFailure(partNumber: number, failed: FailedTry): Promise<FailedTry> {
    const { offset } = this.#parts.range(partNumber)
    if (failed.answer.kind === 'network' && !(await isReadable(this.#job.file, offset))) {
      throw new TransferFailed('unreadable')
    }
    this.#parts.sent(partNumber, 0)
    this.#report()
    const verdict = verdictOn(failed)
    if (verdict === 'unsigned') this.#urls.refused(partNumber)
    // When storage refuses a URL, it may close the connection before the browser has read the
    // answer. So the part gets a new URL after every failure.
    else this.#urls.forget(partNumber)
    if (verdict === 'altered') this.#checksums.delete(partNumber)
    const { arrivals } = this.#parts
    const arrivalsBefore = this.#arrivalsAtFailure.get(partNumber) ?? 0
    this.#arrivalsAtFailure.set(partNumber, arrivals)
    return { ...failed, progress: arrivals > arrivalsBefore ? 'elsewhere' : undefined }
  }

  /** Asks storage which parts it has. These may be more than this browser knew, or fewer. */
  async #askWhatIsHeld(partNumber: number): Promise<void> {
    const knownBefore = this.#parts.held()
    const { cloudKey } = this.#job.ticket
    const { parts } = await callForPart(this.#deps.listParts, { cloudKey }, this.#signal)
    const own = new Set<StoredPart>()
    for (const part of parts) {
      const isNew = this.#parts.isWhole(part) && !this.#parts.holds(part.partNumber)
      if (isNew && (await this.#isOwn(part))) own.add(part)
    }
    const believed = parts.filter((part) => own.has(part) || this.#parts.holds(part.partNumber))
    this.#parts.learn(believed, knownBefore, partNumber)
    this.#report()
    this.#openConnections()
  }

  async #sign(partNumbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const { cloudKey } = this.#job.ticket
    const request = { cloudKey, partNumbers: [...partNumbers] }
    const { urls } = await callForPart(this.#deps.signParts, request, this.#signal)
    return byNumber(urls)
  }

  #isOwn(part: StoredPart): Promise<boolean> {
    return isOwnPart(part, () => this.#checksum(part.partNumber), this.#job.hasFirstDate)
  }

  #checksum(partNumber: number): Promise<string | null> {
    const known = this.#checksums.get(partNumber)
    if (known) return known
    const kind = this.#job.ticket.checksum
    const checksum = this.#deps.checksums.part(this.#slice(partNumber), kind, this.#signal)
    // A checksum that is computed ahead may fail before any code awaits it. This handler ignores
    // the error. The connection that sends the part awaits the same promise and gets the error
    // then.
    checksum.catch(() => undefined)
    this.#checksums.set(partNumber, checksum)
    return checksum
  }

  /**
   * Computes the checksum of the next part while this part is being sent, so that no connection
   * waits for it.
   */
  #computeNextChecksum() {
    const partNumber = this.#parts.next()
    if (partNumber !== null) void this.#checksum(partNumber)
  }

  #slice(partNumber: number): Blob {
    const { offset, size } = this.#parts.range(partNumber)
    return this.#job.file.slice(offset, offset + size)
  }

  #report() {
    this.#job.onProgress(this.#parts.bytes)
  }
}

function byNumber(urls: Readonly<Record<string, string>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(urls).map(([partNumber, url]) => [Number(partNumber), url]))
}
