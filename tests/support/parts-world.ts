import { partRange, planParts } from '../../src/shared/rules/files/part-plan.ts'
import { type PartsDeps, sendParts } from '../../src/web/uploads/transfer/send-parts.ts'
import type {
  StorageRequest,
  StorageResponse,
} from '../../src/web/uploads/transfer/storage-request.ts'
import type { Outcome } from '../../src/web/uploads/upload-errors.ts'
import { TransferError, type TransferJob } from '../../src/web/uploads/upload-ports.ts'
import { uploadTicket } from './upload-fixtures.ts'

/** The size in bytes of every part but the last. */
export const partSize = 1000
/** The checksum of every part of the file that is being uploaded. */
export const partChecksum = 'abc='

export type Fault =
  | { kind: 'lost'; cause: 'network' | 'timeout' | 'stalled'; stored: boolean }
  | { kind: 'status'; status: number; code?: string; stored?: boolean; retryAfterMs?: number }

function makeHttpResponse(
  status: number,
  code: string | null = null,
  retryAfterMs: number | null = null,
) {
  return {
    kind: 'response',
    status,
    code,
    uploadOffset: null,
    retryAfterMs,
  } satisfies StorageResponse
}

/**
 * Simulates a store, the network and the clock. Time advances only when all code is waiting. Each
 * PUT takes `partMs` milliseconds. `fault` is called when a PUT starts, and decides whether and how
 * it fails. `run` sends a file of `count` parts and `size` bytes, and settles as the real transfer
 * would.
 */
export function simulateParts(count: number, size = count * partSize) {
  let time = 0
  let timers: { at: number; run: () => void }[] = []
  const onlineCallbacks: (() => void)[] = []
  let signatureCount = 0
  const storedParts = new Map<number, number>()
  /** Checksums of stored parts that came from an older version of the file. */
  const oldChecksums = new Map<number, string>()
  const partsInFlight = new Set<number>()
  const acceptedParts = new Set<number>()
  const cancel = new AbortController()
  const puts: { partNumber: number; at: number; signature: number; request: StorageRequest }[] = []
  const signedParts: number[][] = []
  const delays: number[] = []
  const progress: number[] = []
  const violations: string[] = []
  const simulation = {
    storedParts,
    oldChecksums,
    listsChecksums: true,
    puts,
    signedParts,
    delays,
    progress,
    violations,
    cancel,
    inFlight: partsInFlight,
    interruptions: 0,
    partMs: 100,
    callMs: 1,
    isOnline: true,
    /** True if the server reports that it is ready for requests. */
    isReady: true,
    peakConcurrency: 0,
    /** How many PUTs have succeeded. */
    successfulPuts: 0,
    now: () => time,
    fault: (_partNumber: number): Fault | null => null,
    /**
     * Called whenever URLs for parts are requested. Returns the status with which to reject the
     * request, or null to accept it.
     */
    rejectSigning: (): { status: number | null } | null => null,
    oldestGoodSignature: 0,
  }

  const goOnline = () => {
    simulation.isOnline = true
    for (const resolve of onlineCallbacks.splice(0)) resolve()
  }
  const schedule = (ms: number, run: () => void) => timers.push({ at: time + ms, run })
  const delay = <T>(ms: number, signal: AbortSignal, result: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      schedule(ms, () => !signal.aborted && resolve(result()))
    })

  const respond = (partNumber: number, fault: Fault | null): StorageResponse => {
    const storePart = () => {
      storedParts.set(partNumber, partRange(size, partSize, partNumber).size)
      oldChecksums.delete(partNumber)
      if (oldChecksums.size > 0 && storedParts.size === count)
        violations.push('parts of two file versions were combined')
    }
    if (!fault) {
      storePart()
      acceptedParts.add(partNumber)
      simulation.successfulPuts += 1
      return makeHttpResponse(200)
    }
    if (fault.stored) storePart()
    if (fault.kind === 'lost') return { kind: fault.cause }
    return makeHttpResponse(fault.status, fault.code, fault.retryAfterMs ?? null)
  }

  const listStoredParts = () =>
    [...storedParts].map(([partNumber, bytes]) => ({
      partNumber,
      size: bytes,
      ...(simulation.listsChecksums && { checksum: oldChecksums.get(partNumber) ?? partChecksum }),
    }))

  const deps: PartsDeps = {
    send: async (request) => {
      const [, partNumber = 0, signature = 0] = request.url.split('/').map(Number)
      puts.push({ partNumber, at: time, signature, request })
      if (acceptedParts.has(partNumber)) violations.push(`part ${partNumber} again`)
      if (partsInFlight.has(partNumber)) violations.push(`part ${partNumber} twice at once`)
      partsInFlight.add(partNumber)
      simulation.peakConcurrency = Math.max(simulation.peakConcurrency, partsInFlight.size)
      const isExpired = signature <= simulation.oldestGoodSignature
      const fault: Fault | null = isExpired
        ? { kind: 'status', status: 403 }
        : simulation.fault(partNumber)
      try {
        const bytes = request.body?.size ?? 0
        request.onSent?.(Math.floor(bytes / 2))
        return await delay(simulation.partMs, request.signal, () => {
          if (!simulation.isOnline) return { kind: 'network' }
          const response = respond(partNumber, fault)
          // A PUT that stored nothing and got no response wasn't sent completely, so don't call
          // `onSent`.
          if (fault?.kind !== 'lost' || fault.stored) request.onSent?.(bytes)
          return response
        })
      } finally {
        partsInFlight.delete(partNumber)
      }
    },
    signParts: ({ partNumbers }, signal) =>
      delay(simulation.callMs, signal, (): Outcome<{ urls: Record<string, string> }> => {
        const rejection = simulation.isOnline ? simulation.rejectSigning() : { status: null }
        if (rejection) return { ok: false, error: { code: null, message: null, ...rejection } }
        signatureCount += 1
        signedParts.push(partNumbers)
        const urls = partNumbers.map((n) => [String(n), `/${n}/${signatureCount}`] as const)
        return { ok: true, value: { urls: Object.fromEntries(urls) } }
      }),
    wait: (ms, signal) => {
      delays.push(ms)
      const online = new Promise<void>((resolve) => onlineCallbacks.push(resolve))
      return Promise.race([delay(ms, signal, () => undefined), online])
    },
    random: () => 0,
    isServerReady: (signal) =>
      delay(simulation.callMs, signal, () => simulation.isReady && simulation.isOnline).catch(
        () => false,
      ),
    timers: {
      // No call times out in these tests, so this timer never fires.
      runAfter: () => () => {},
    },
    checksums: {
      part: async () => partChecksum,
    },
  }

  const run = async (job: Partial<TransferJob> = {}): Promise<void> => {
    let isSettled = false
    const transferPromise = sendParts(
      {
        file: new Blob([new Uint8Array(size)]),
        ticket: uploadTicket(),
        contentType: 'video/mp4',
        storedParts: listStoredParts(),
        hasOriginalDate: true,
        isResumed: true,
        signal: cancel.signal,
        onProgress: (bytes) => {
          if (bytes < 0 || bytes > size) violations.push(`progress of ${bytes}`)
          progress.push(bytes)
        },
        onInterrupted: () => {
          simulation.interruptions += 1
        },
        ...job,
      },
      planParts(size, partSize),
      deps,
    ).finally(() => {
      isSettled = true
    })
    transferPromise.catch(() => undefined)
    // Advance the time only when all code is waiting for a timer.
    for (let stepCount = 0; !isSettled; stepCount += 1) {
      for (let pass = 0; pass < 5; pass += 1) await new Promise(setImmediate)
      const nextTimer = timers.reduce<(typeof timers)[number] | null>(
        (earliest, timer) => (earliest && earliest.at <= timer.at ? earliest : timer),
        null,
      )
      if (isSettled) break
      if (!nextTimer || stepCount > 20_000) throw new Error('the transfer is stuck')
      timers = timers.filter((timer) => timer !== nextTimer)
      time = nextTimer.at
      nextTimer.run()
    }
    return transferPromise
  }
  return Object.assign(simulation, { run, deps, schedule, goOnline })
}

/**
 * Returns the error with which a transfer failed. Throws if the transfer succeeded, or failed with
 * a different kind of error.
 */
export async function transferErrorOf(transfer: Promise<void>) {
  const error: unknown = await transfer.catch((caught: unknown) => caught)
  if (!(error instanceof TransferError)) throw error ?? new Error('it should have failed')
  return { kind: error.kind, status: error.status }
}

/** Returns a `fault` function that makes the first `times` attempts at each part fail. */
export function failFirstAttempts(times: number, fault: Fault, matches = (_: number) => true) {
  const attemptCounts = new Map<number, number>()
  return (partNumber: number) => {
    const previousAttempts = attemptCounts.get(partNumber) ?? 0
    attemptCounts.set(partNumber, previousAttempts + 1)
    return matches(partNumber) && previousAttempts < times ? fault : null
  }
}

/** Returns the part numbers of all PUTs in order, including repeated ones. */
export function sentPartNumbers(simulation: { puts: { partNumber: number }[] }) {
  return simulation.puts.map(({ partNumber }) => partNumber)
}

export function rangeTo(count: number) {
  return Array.from({ length: count }, (_, at) => at + 1)
}
