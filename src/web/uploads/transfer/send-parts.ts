import type { PartPlan } from '../../../shared/rules/part-plan.ts'
import { interruptionOf } from '../interruption.ts'
import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import { pause } from './connection.ts'
import { HeldComparison } from './held-comparison.ts'
import { LineWatch, type TryEnd } from './line-watch.ts'
import { requestTimeoutMs, stallLimitMs, verdictOn } from './next-step.ts'
import { answerOfCall, callInTime } from './part-calls.ts'
import { PartLedger } from './part-ledger.ts'
import { isOwnPart } from './part-proof.ts'
import { afterFailedTry, mayHaveArrived, noTries, type PartTries } from './part-tries.ts'
import { createPartUrls, type PartUrls } from './part-urls.ts'
import type { StorageAnswer } from './send.ts'
import { checksumHeader, isReadable, type TransferDeps } from './transfer.ts'
import type { PartCalls } from './upload-calls.ts'

/** What sending parts does to the world outside. The calls never reject; they end with their signal. */
export interface PartsDeps extends TransferDeps, PartCalls {
  /** Milliseconds, only ever compared with each other. */
  now: () => number
}

/**
 * Puts a file into storage in parts, several at once, each retried by the lane that sends it while the
 * others go on. After an answer that was lost storage is asked before the part is sent again. What it
 * held before is compared with the file meanwhile, and sent again where it differs.
 * Resolves when storage holds all parts; nothing runs any more when it settles.
 * @throws {TransferFailed} when it is given up; as unreadable where a try ended because the file was
 *   changed or removed, or storage has the whole of another version.
 * @throws {FileUnreadable} where that is found when a checksum is reckoned.
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
  readonly #deps: PartsDeps
  /** Ends every lane when one of them cannot go on. */
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  readonly #urls: PartUrls
  readonly #ledger: PartLedger
  readonly #line: LineWatch
  readonly #comparison: HeldComparison
  readonly #checksums = new Map<number, Promise<string | null>>()
  readonly #tries = new Map<number, PartTries>()
  /** Parts that may have arrived although their answer did not. */
  readonly #uncertain = new Set<number>()
  #isComparing = true
  #lanes = 0
  #settle: { resolve: () => void; reject: (reason: unknown) => void } | null = null

  constructor(job: TransferJob, plan: PartPlan, deps: PartsDeps) {
    this.#job = job
    this.#deps = deps
    this.#signal = AbortSignal.any([job.signal, this.#end.signal])
    this.#urls = createPartUrls(byNumber(job.partUrls), {
      sign: (partNumbers) => this.#sign(partNumbers),
      upcoming: () => this.#ledger.upcoming(),
      now: deps.now,
    })
    this.#ledger = new PartLedger(job.file.size, plan)
    this.#ledger.learn(job.held, [], null)
    this.#line = new LineWatch(plan.size, deps.now)
    this.#comparison = new HeldComparison(job.held, this.#ledger)
  }

  run(): Promise<void> {
    this.#report()
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      const onDifferent = () => {
        this.#report()
        this.#widen()
      }
      void this.#comparison
        .run((part) => this.#isOwn(part), onDifferent, this.#signal)
        .catch((error: unknown) => this.#end.abort(error))
        .then(() => {
          this.#isComparing = false
          this.#widen()
          this.#settleWhenOver()
        })
      this.#widen()
    })
  }

  #settleWhenOver() {
    if (this.#lanes > 0 || this.#isComparing) return
    if (this.#signal.aborted) this.#settle?.reject(this.#signal.reason)
    else this.#settle?.resolve()
  }

  /** Starts lanes, as many as the line gives work to. */
  #widen() {
    if (!this.#isComparing) this.#comparison.release()
    while (!this.#signal.aborted && this.#lanes < this.#line.lanes) {
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
      if (this.#lanes > this.#line.lanes) return
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
      if (this.#lanes > this.#line.lanes) return
    }
  }

  /** One try, with what must come before it; null when storage holds the part, or others go first. */
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
    const leaving = new AbortController()
    this.#line.begin(partNumber, size, () => leaving.abort())
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
      signal: AbortSignal.any([this.#signal, leaving.signal]),
      onSent: (bytes) => {
        this.#ledger.sent(partNumber, bytes)
        this.#report()
        this.#line.sent(partNumber, bytes)
      },
    })
    this.#reckonAhead()
    let end: TryEnd = 'lost'
    let answer: StorageAnswer
    try {
      answer = await sending
      if (verdictOn(answer) === 'stored') end = 'held'
      else if (answer.kind === 'timeout') end = 'timed-out'
    } catch (error) {
      if (leaving.signal.aborted && !this.#signal.aborted) return null
      throw error
    } finally {
      this.#line.end(partNumber, end)
    }
    if (mayHaveArrived(answer)) this.#uncertain.add(partNumber)
    if (end !== 'held') return answer
    this.#comparison.heldSince(partNumber)
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
    this.#ledger.sent(partNumber, 0)
    this.#report()
    const { tries, next } = await afterFailedTry(this.#tries.get(partNumber) ?? noTries, answer, {
      online: this.#deps.connection.isOnline(),
      stored: this.#ledger.kept,
      random: this.#deps.random(),
      isServerReady: () => {
        this.#interrupted(answer)
        return this.#deps.isServerReady(this.#signal)
      },
    })
    this.#tries.set(partNumber, tries)
    if (next.kind === 'fail') throw next.failure
    const verdict = verdictOn(answer)
    if (verdict === 'unsigned') this.#urls.refused(partNumber)
    // Storage that refuses early may end the connection before its answer is read.
    else this.#urls.forget(partNumber)
    if (verdict === 'differs') this.#checksums.delete(partNumber)
    if (next.waitMs === null) return
    this.#interrupted(answer)
    await pause(next.waitMs, this.#signal, this.#deps)
  }

  /** Tells that nothing travels, where this is so. */
  #interrupted(answer: StorageAnswer) {
    if (this.#line.sending === 0) this.#job.onInterrupted(interruptionOf(answer))
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
