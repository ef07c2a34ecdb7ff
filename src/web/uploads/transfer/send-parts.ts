import type { PartPlan } from '../../../shared/rules/part-plan.ts'
import type { Outcome } from '../upload-failure.ts'
import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import { pause } from './connection.ts'
import { requestTimeoutMs, stallLimitMs, verdictOn } from './next-step.ts'
import { answerOfCall, callInTime } from './part-calls.ts'
import { lanesFor, type PartTime, withPartTime } from './part-lanes.ts'
import { PartLedger } from './part-ledger.ts'
import { isOwnPart } from './part-proof.ts'
import { afterFailedTry, mayHaveArrived, noTries, type PartTries } from './part-tries.ts'
import { createPartUrls, type PartUrls } from './part-urls.ts'
import type { StorageAnswer } from './send.ts'
import { checksumHeader, isReadable, type TransferDeps } from './transfer.ts'

/** What sending parts does to the world outside. The calls never reject; they end with their signal. */
export interface PartsDeps extends TransferDeps {
  signParts: (
    request: { cloudKey: string; partNumbers: number[] },
    signal: AbortSignal,
  ) => Promise<Outcome<{ urls: Record<string, string> }>>
  listParts: (
    request: { cloudKey: string },
    signal: AbortSignal,
  ) => Promise<Outcome<{ parts: readonly StoredPart[] }>>
  /** Milliseconds, only ever compared with each other. */
  now: () => number
}

/**
 * Puts a file into storage in parts, several at once, each retried by the lane that sends it while the
 * others go on. After an answer that was lost storage is asked before the part is sent again. What it
 * held before is compared with the file meanwhile, and sent again where it differs.
 * Resolves when storage holds all parts; nothing runs any more when it settles.
 * @throws {TransferFailed} when it is given up.
 * @throws {FileUnreadable} when the file was changed or removed.
 * @throws the reason of the signal when that fires.
 */
export const sendParts = (job: TransferJob, plan: PartPlan, deps: PartsDeps): Promise<void> => {
  const transfer = new PartsTransfer(job, plan, deps)
  return transfer.run()
}

const byNumber = (urls: Readonly<Record<string, string>>): ReadonlyMap<number, string> =>
  new Map(Object.entries(urls).map(([partNumber, url]) => [Number(partNumber), url]))

class PartsTransfer {
  readonly #job: TransferJob
  readonly #plan: PartPlan
  readonly #deps: PartsDeps
  /** Ends every lane when one of them cannot go on. */
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  readonly #urls: PartUrls
  readonly #ledger: PartLedger
  readonly #checksums = new Map<number, Promise<string | null>>()
  readonly #tries = new Map<number, PartTries>()
  /** Parts that may have arrived although their answer did not. */
  readonly #uncertain = new Set<number>()
  /** Parts that this transfer has stored itself. */
  readonly #stored = new Set<number>()
  /** Parts that storage held otherwise than the file has them. */
  readonly #different = new Set<number>()
  #isComparing = true
  /**
   * Not sent before all that storage holds is the file's own: else storage would have all parts of a
   * mixture, and a tab that has lost the file may confirm whatever is whole.
   */
  #reserved: number | null = null
  #lanes = 0
  #sending = 0
  #times: readonly PartTime[] = []
  #settle: { resolve: () => void; reject: (reason: unknown) => void } | null = null

  constructor(job: TransferJob, plan: PartPlan, deps: PartsDeps) {
    this.#job = job
    this.#plan = plan
    this.#deps = deps
    this.#signal = AbortSignal.any([job.signal, this.#end.signal])
    this.#urls = createPartUrls(byNumber(job.partUrls), {
      sign: (partNumbers) => this.#sign(partNumbers),
      upcoming: () => this.#ledger.upcoming(),
      now: deps.now,
    })
    this.#ledger = new PartLedger(job.file.size, plan)
    this.#ledger.learn(job.held, [], null)
  }

  run(): Promise<void> {
    this.#report()
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      if (this.#ledger.held().length > 0) this.#reserved = this.#ledger.reserveLast()
      void this.#compareHeld()
        .catch((error: unknown) => this.#end.abort(error))
        .then(() => {
          this.#isComparing = false
          this.#widen()
          this.#settleWhenOver()
        })
      this.#widen()
    })
  }

  /**
   * Finds the parts that the file has otherwise by now than when storage got them.
   * @throws {TransferFailed} as unreadable where storage has the whole of another version.
   */
  async #compareHeld(): Promise<void> {
    for (const part of this.#job.held) {
      this.#signal.throwIfAborted()
      if (!this.#ledger.holds(part.partNumber) || (await this.#isOwn(part))) continue
      // Storage may have lost it meanwhile, and got the file's own.
      if (this.#stored.has(part.partNumber)) continue
      if (this.#reserved === null && this.#plan.count > 1) throw new TransferFailed('unreadable')
      this.#different.add(part.partNumber)
      this.#ledger.lose(part.partNumber)
      this.#report()
      this.#widen()
    }
  }

  #settleWhenOver() {
    if (this.#lanes > 0 || this.#isComparing) return
    if (this.#signal.aborted) this.#settle?.reject(this.#signal.reason)
    else this.#settle?.resolve()
  }

  /** Starts lanes, as many as the line gives work to. */
  #widen() {
    const isOwn = [...this.#different].every((partNumber) => this.#ledger.holds(partNumber))
    if (this.#reserved !== null && !this.#isComparing && isOwn) {
      this.#ledger.release(this.#reserved)
      this.#reserved = null
    }
    while (!this.#signal.aborted && this.#lanes < lanesFor(this.#times)) {
      const partNumber = this.#ledger.take()
      if (partNumber === null) return
      this.#lanes += 1
      void this.#lane(partNumber)
        .catch((error: unknown) => this.#end.abort(error))
        .then(() => {
          this.#lanes -= 1
          this.#widen()
          this.#settleWhenOver()
        })
    }
  }

  /** Sends part after part until there is none left, or there are more lanes than there should be. */
  async #lane(first: number): Promise<void> {
    for (let partNumber: number | null = first; partNumber !== null; ) {
      try {
        await this.#deliver(partNumber)
      } finally {
        this.#ledger.release(partNumber)
        this.#checksums.delete(partNumber)
        this.#report()
      }
      if (this.#lanes > lanesFor(this.#times)) return
      partNumber = this.#ledger.take()
    }
  }

  /** Returns when storage holds the part, or when it is left to the other lanes. */
  async #deliver(partNumber: number): Promise<void> {
    while (!this.#ledger.holds(partNumber)) {
      this.#signal.throwIfAborted()
      const answer = await this.#try(partNumber)
      this.#signal.throwIfAborted()
      if (answer === null) return
      await this.#afterFailure(partNumber, answer)
      if (this.#lanes > lanesFor(this.#times)) return
    }
  }

  /** One try, with what must come before it; null when storage holds the part. */
  async #try(partNumber: number): Promise<StorageAnswer | null> {
    try {
      if (this.#uncertain.has(partNumber)) await this.#ask(partNumber)
      if (this.#ledger.holds(partNumber)) return null
      const ready = [this.#urls.get(partNumber), this.#checksum(partNumber)] as const
      return await this.#put(partNumber, ...(await Promise.all(ready)))
    } catch (error) {
      return answerOfCall(error)
    }
  }

  async #put(
    partNumber: number,
    url: string,
    checksum: string | null,
  ): Promise<StorageAnswer | null> {
    const { size } = this.#ledger.range(partNumber)
    const { ticket, contentType } = this.#job
    const startedAt = this.#deps.now()
    this.#sending += 1
    const atOnce = this.#sending
    this.#report()
    const sending = this.#deps.send({
      method: 'PUT',
      url,
      headers: {
        'Content-Type': contentType,
        ...checksumHeader(ticket.checksum, checksum),
      },
      body: this.#slice(partNumber),
      timeoutMs: requestTimeoutMs,
      stallMs: stallLimitMs((this.#tries.get(partNumber) ?? noTries).stalls),
      signal: this.#signal,
      onSent: (bytes) => {
        this.#ledger.sent(partNumber, bytes)
        this.#report()
      },
    })
    this.#reckonAhead()
    let lanes = atOnce
    let answer: StorageAnswer
    try {
      answer = await sending
      lanes = Math.max(atOnce, this.#sending)
    } finally {
      this.#sending -= 1
    }
    const stored = verdictOn(answer) === 'stored'
    if ((stored && size === this.#plan.size) || answer.kind === 'timeout') {
      this.#times = withPartTime(this.#times, { ms: this.#deps.now() - startedAt, lanes })
    }
    if (mayHaveArrived(answer)) this.#uncertain.add(partNumber)
    if (!stored) return answer
    this.#stored.add(partNumber)
    this.#ledger.keep(partNumber)
    this.#widen()
    return null
  }

  /** Counts a failed try, and returns when the next one may begin. */
  async #afterFailure(partNumber: number, answer: StorageAnswer): Promise<void> {
    const { offset } = this.#ledger.range(partNumber)
    if (answer.kind === 'network' && !(await isReadable(this.#job.file, offset))) {
      throw new TransferFailed('unreadable')
    }
    const { tries, next } = afterFailedTry(this.#tries.get(partNumber) ?? noTries, answer, {
      online: this.#deps.connection.isOnline(),
      stored: this.#ledger.kept,
      random: this.#deps.random(),
    })
    this.#tries.set(partNumber, tries)
    if (next.kind === 'fail') throw next.failure
    const verdict = verdictOn(answer)
    if (verdict === 'unsigned') this.#urls.refused(partNumber)
    // Storage that refuses early may end the connection before its answer is read.
    else this.#urls.forget(partNumber)
    if (verdict === 'differs') this.#checksums.delete(partNumber)
    this.#ledger.sent(partNumber, 0)
    this.#report()
    if (next.waitMs === null) return
    if (this.#sending === 0) this.#job.onInterrupted()
    await pause(next.waitMs, this.#signal, this.#deps)
  }

  /** Learns from storage what it holds: more than is known here, or less. */
  async #ask(partNumber: number): Promise<void> {
    const knownBefore = this.#ledger.held()
    const { cloudKey } = this.#job.ticket
    const { parts } = await callInTime(
      (limit) => this.#deps.listParts({ cloudKey }, limit),
      this.#signal,
    )
    const proven = new Set<StoredPart>()
    for (const part of parts) {
      const isNew = this.#ledger.isWhole(part) && !this.#ledger.holds(part.partNumber)
      if (isNew && (await this.#isOwn(part))) proven.add(part)
    }
    this.#uncertain.delete(partNumber)
    const own = parts.filter((part) => proven.has(part) || this.#ledger.holds(part.partNumber))
    this.#ledger.learn(own, knownBefore, partNumber)
    this.#report()
    this.#widen()
  }

  async #sign(partNumbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const { cloudKey } = this.#job.ticket
    const request = { cloudKey, partNumbers: [...partNumbers] }
    const { urls } = await callInTime((limit) => this.#deps.signParts(request, limit), this.#signal)
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
    // One that was reckoned ahead is not waited for yet; whoever sends the part will see the fault.
    checksum.catch(() => undefined)
    this.#checksums.set(partNumber, checksum)
    return checksum
  }

  /** Reads the next part while this one travels, so that no lane stands still for it. */
  #reckonAhead() {
    const partNumber = this.#ledger.next()
    if (partNumber !== null) void this.#checksum(partNumber)
  }

  #slice(partNumber: number): Blob {
    const { offset, size } = this.#ledger.range(partNumber)
    return this.#job.file.slice(offset, offset + size)
  }

  #report() {
    this.#job.onProgress(this.#ledger.bytes)
  }
}
