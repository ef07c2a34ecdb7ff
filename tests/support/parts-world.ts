import { partRange, planParts } from '../../src/shared/rules/files/part-plan.ts'
import { type PartsDeps, sendParts } from '../../src/web/uploads/transfer/send-parts.ts'
import type {
  StorageRequest,
  StorageResponse,
} from '../../src/web/uploads/transfer/storage-request.ts'
import type { Outcome } from '../../src/web/uploads/upload-errors.ts'
import { TransferError, type TransferJob } from '../../src/web/uploads/upload-ports.ts'
import { uploadTicket } from './upload-facts.ts'

/** Size in bytes of each part but the last. */
export const partSize = 1000
/** The checksum of every part of the uploaded file. */
export const ownChecksum = 'abc='

/** How a PUT fails. */
export type Fault =
  | { kind: 'lost'; how: 'network' | 'timeout' | 'stalled'; stored: boolean }
  | { kind: 'status'; status: number; code?: string; stored?: boolean; retryAfterMs?: number }

function answerOf(status: number, code: string | null = null, retryAfterMs: number | null = null) {
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
 * PUT takes `partMs` milliseconds, and `fault` decides at its start how it fails. `run` sends a
 * file of `count` parts and `size` bytes and settles like the real transfer.
 */
export function simulateParts(count: number, size = count * partSize) {
  let time = 0
  let timers: { at: number; run: () => void }[] = []
  const back: (() => void)[] = []
  let signatures = 0
  const held = new Map<number, number>()
  /** Checksums of stored parts from an older version of the file. */
  const older = new Map<number, string>()
  const underWay = new Set<number>()
  const accepted = new Set<number>()
  const cancel = new AbortController()
  const puts: { partNumber: number; at: number; signature: number; request: StorageRequest }[] = []
  const signed: number[][] = []
  const waits: number[] = []
  const progress: number[] = []
  const violations: string[] = []
  const sim = {
    held,
    older,
    tellsChecksums: true,
    puts,
    signed,
    waits,
    progress,
    violations,
    cancel,
    underWay,
    interruptions: 0,
    partMs: 100,
    callMs: 1,
    online: true,
    /** True if the server reports being ready. */
    ready: true,
    peakConcurrency: 0,
    /** Successful PUTs. */
    answered: 0,
    now: () => time,
    fault: (_partNumber: number): Fault | null => null,
    /** Rejects requests for URLs with this status. Null signs them. */
    refuse: (): { status: number | null } | null => null,
    oldestGoodSignature: 0,
  }

  const goOnline = () => {
    sim.online = true
    for (const resolve of back.splice(0)) resolve()
  }
  const at = (ms: number, run: () => void) => timers.push({ at: time + ms, run })
  const after = <T>(ms: number, signal: AbortSignal, result: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      at(ms, () => !signal.aborted && resolve(result()))
    })

  const answerTo = (partNumber: number, fault: Fault | null): StorageResponse => {
    const store = () => {
      held.set(partNumber, partRange(size, partSize, partNumber).size)
      older.delete(partNumber)
      if (older.size > 0 && held.size === count) violations.push('a mixture is whole')
    }
    if (!fault) {
      store()
      accepted.add(partNumber)
      sim.answered += 1
      return answerOf(200)
    }
    if (fault.stored) store()
    if (fault.kind === 'lost') return { kind: fault.how }
    return answerOf(fault.status, fault.code, fault.retryAfterMs ?? null)
  }

  const list = () =>
    [...held].map(([partNumber, bytes]) => ({
      partNumber,
      size: bytes,
      ...(sim.tellsChecksums && { checksum: older.get(partNumber) ?? ownChecksum }),
    }))

  const deps: PartsDeps = {
    send: async (request) => {
      const [, partNumber = 0, signature = 0] = request.url.split('/').map(Number)
      puts.push({ partNumber, at: time, signature, request })
      if (accepted.has(partNumber)) violations.push(`part ${partNumber} again`)
      if (underWay.has(partNumber)) violations.push(`part ${partNumber} twice at once`)
      underWay.add(partNumber)
      sim.peakConcurrency = Math.max(sim.peakConcurrency, underWay.size)
      const isOld = signature <= sim.oldestGoodSignature
      const fault: Fault | null = isOld ? { kind: 'status', status: 403 } : sim.fault(partNumber)
      try {
        const bytes = request.body?.size ?? 0
        request.onSent?.(Math.floor(bytes / 2))
        return await after(sim.partMs, request.signal, () => {
          if (!sim.online) return { kind: 'network' }
          const response = answerTo(partNumber, fault)
          // A PUT that stored nothing and got no response didn't send its whole body.
          if (fault?.kind !== 'lost' || fault.stored) request.onSent?.(bytes)
          return response
        })
      } finally {
        underWay.delete(partNumber)
      }
    },
    signParts: ({ partNumbers }, signal) =>
      after(sim.callMs, signal, (): Outcome<{ urls: Record<string, string> }> => {
        const refused = sim.online ? sim.refuse() : { status: null }
        if (refused) return { ok: false, error: { code: null, message: null, ...refused } }
        signatures += 1
        signed.push(partNumbers)
        const urls = partNumbers.map((n) => [String(n), `/${n}/${signatures}`] as const)
        return { ok: true, value: { urls: Object.fromEntries(urls) } }
      }),
    wait: (ms, signal) => {
      waits.push(ms)
      return after(ms, signal, () => undefined)
    },
    connection: {
      isOnline: () => sim.online,
      waitUntilOnline: (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          if (sim.online) resolve()
          else back.push(resolve)
        }),
    },
    random: () => 0,
    isServerReady: (signal) => after(sim.callMs, signal, () => sim.ready).catch(() => false),
    timers: {
      now: () => time,
      elapsed: () => time,
      // No call in these tests times out.
      runAfter: () => () => {},
    },
    checksums: {
      part: async () => ownChecksum,
    },
  }

  const run = async (job: Partial<TransferJob> = {}): Promise<void> => {
    let over = false
    const running = sendParts(
      {
        file: new Blob([new Uint8Array(size)]),
        ticket: uploadTicket(),
        contentType: 'video/mp4',
        storedParts: list(),
        hasOriginalDate: true,
        isResumed: true,
        partUrls: {},
        signal: cancel.signal,
        onProgress: (bytes) => {
          if (bytes < 0 || bytes > size) violations.push(`progress of ${bytes}`)
          progress.push(bytes)
        },
        onInterrupted: () => {
          sim.interruptions += 1
        },
        ...job,
      },
      planParts(size, partSize),
      deps,
    ).finally(() => {
      over = true
    })
    running.catch(() => undefined)
    // Advance time only when all code is waiting for a timer.
    for (let turns = 0; !over; turns += 1) {
      for (let microtasks = 0; microtasks < 5; microtasks += 1) await new Promise(setImmediate)
      const next = timers.reduce<(typeof timers)[number] | null>(
        (first, timer) => (first && first.at <= timer.at ? first : timer),
        null,
      )
      if (over) break
      if (!next || turns > 20_000) throw new Error('nobody does anything any more')
      timers = timers.filter((timer) => timer !== next)
      time = next.at
      next.run()
    }
    return running
  }
  return Object.assign(sim, { run, deps, at, goOnline })
}

/**
 * Returns the error of a failed transfer. Throws if it succeeded or failed with another kind of
 * error.
 */
export async function failureOf(running: Promise<void>) {
  const error: unknown = await running.catch((caught: unknown) => caught)
  if (!(error instanceof TransferError)) throw error ?? new Error('it should have failed')
  return { kind: error.kind, status: error.status }
}

/** Returns a `fault` function that fails the first `times` attempts of each part. */
export function firstTries(times: number, fault: Fault, which = (_: number) => true) {
  const tries = new Map<number, number>()
  return (partNumber: number) => {
    const before = tries.get(partNumber) ?? 0
    tries.set(partNumber, before + 1)
    return which(partNumber) && before < times ? fault : null
  }
}

/** Returns the numbers of all sent parts, in order and with repetitions. */
export function sentNumbers(sim: { puts: { partNumber: number }[] }) {
  return sim.puts.map(({ partNumber }) => partNumber)
}

/** Returns the part numbers from 1 to `count`. */
export function from1To(count: number) {
  return Array.from({ length: count }, (_, at) => at + 1)
}
