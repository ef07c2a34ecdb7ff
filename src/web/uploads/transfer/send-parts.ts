import { type PartPlan, partRange } from '../../../shared/rules/files/part-plan.ts'
import type { CallResponse } from '../../api/call.ts'
import type { TransferJob } from '../upload-ports.ts'
import { putBytes, type TransferDeps, toTransferError } from './put-bytes.ts'
import { createRetries, type RetryOptions } from './retry-policy.ts'
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
export async function sendParts(job: TransferJob, plan: PartPlan, deps: PartsDeps): Promise<void> {
  // Ends all connections after a part fails permanently.
  const aborter = new AbortController()
  const signal = AbortSignal.any([job.signal, aborter.signal])
  /** The numbers of the parts that storage has. */
  const storedParts = new Set<number>()
  let storedBytes = 0
  /** Bytes sent so far for each part in progress, by part number. */
  const sentBytes = new Map<number, number>()
  let connectionCount = 0
  /** Number of connections that are sending rather than waiting to retry. */
  let sendingCount = 0
  const retryOptions: RetryOptions = {
    signal,
    // As long as any part is being sent, the upload as a whole isn't interrupted.
    onInterrupted: (interruption) => sendingCount === 0 && job.onInterrupted(interruption),
    progress: () => storedParts.size,
  }
  const urls = createPartUrls(job, plan, retryOptions, deps)
  const rangeOf = (partNumber: number) => partRange(job.file.size, plan.size, partNumber)

  function reportProgress() {
    job.onProgress([...sentBytes.values()].reduce((sum, bytes) => sum + bytes, storedBytes))
  }

  function markStored(partNumber: number) {
    storedParts.add(partNumber)
    storedBytes += rangeOf(partNumber).size
    sentBytes.delete(partNumber)
  }

  /** Returns the first part that is neither stored nor in progress, or null if there is none. */
  function nextPart(): number | null {
    for (let partNumber = 1; partNumber <= plan.count; partNumber += 1) {
      if (!storedParts.has(partNumber) && !sentBytes.has(partNumber)) return partNumber
    }
    return null
  }

  async function putPart(partNumber: number, stallMs: number) {
    const url = await urls.get(partNumber)
    const { offset, size } = rangeOf(partNumber)
    const onSent = (bytes: number) => {
      if (!sentBytes.has(partNumber)) return
      sentBytes.set(partNumber, Math.min(bytes, size))
      reportProgress()
    }
    sendingCount += 1
    try {
      return await putBytes(job, { url, offset, size, stallMs, signal, onSent }, deps)
    } finally {
      sendingCount -= 1
    }
  }

  /**
   * Sends a part until storage has it. Returns false if this connection has to close because the
   * network is too slow for several at once.
   */
  async function sendPart(partNumber: number): Promise<boolean> {
    const retries = createRetries(retryOptions, deps)
    sentBytes.set(partNumber, 0)
    try {
      for (;;) {
        const response = await putPart(partNumber, retries.stallMs())
        if (response === null) {
          markStored(partNumber)
          return true
        }
        sentBytes.set(partNumber, 0)
        reportProgress()
        // Storage may reject an expired URL by closing the connection, so request a new URL after
        // each failure. Replace the other URLs as well, because they are just as old.
        urls.clear()
        // Parallel parts share the bandwidth. At 20 KB/s, four of them would always time out.
        if (response.kind === 'timeout' && connectionCount > 1) return false
        if (!(await retries.waitForNext(response))) throw toTransferError(response)
      }
    } finally {
      sentBytes.delete(partNumber)
      reportProgress()
    }
  }

  /** Sends parts until none is left or this connection has to close. */
  async function connect(): Promise<void> {
    connectionCount += 1
    try {
      for (let partNumber = nextPart(); partNumber !== null; partNumber = nextPart()) {
        const isOpen = await sendPart(partNumber)
        if (!isOpen) return
      }
    } finally {
      connectionCount -= 1
    }
  }

  for (const partNumber of await findStoredParts(job, plan, deps.checksums)) markStored(partNumber)
  reportProgress()
  const connections = Array.from({ length: maxConnections }, connect)
  await Promise.all(connections.map((ended) => ended.catch((error) => aborter.abort(error))))
  signal.throwIfAborted()
}

/** Presigns parts' URLs, many in one call. */
function createPartUrls(
  { ticket: { cloudKey, uploadToken } }: TransferJob,
  plan: PartPlan,
  retryOptions: RetryOptions,
  deps: PartsDeps,
) {
  /** By part number. Parts whose URLs were presigned in one call share a promise. */
  const urls = new Map<number, Promise<PartUrls>>()

  /** Requests the URLs of this part and the following ones. */
  function sign(firstPart: number): Promise<PartUrls> {
    const count = Math.min(urlsPerCall, plan.count - firstPart + 1)
    const partNumbers = Array.from({ length: count }, (_, index) => firstPart + index)
    const input = { cloudKey, uploadToken, partNumbers }
    const signCall = { call: deps.signParts, input, isAbortable: true }
    const outcome = callWithRetries(signCall, retryOptions, deps)
    const signedUrls = outcome.then((outcome) => requireValue(outcome).urls)
    for (const partNumber of partNumbers) urls.set(partNumber, signedUrls)
    return signedUrls
  }

  return {
    clear: () => urls.clear(),
    async get(partNumber: number): Promise<string> {
      const url = (await (urls.get(partNumber) ?? sign(partNumber)))[partNumber]
      if (url === undefined) throw new Error(`no URL for part ${partNumber}`)
      return url
    },
  }
}
