import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partRange, planParts } from '../../../shared/rules/part-plan.ts'
import type { Outcome } from '../upload-failure.ts'
import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import { maxFruitlessTries } from './fruitless-tries.ts'
import { FileUnreadable } from './hash-blob.ts'
import type { StorageAnswer, StorageRequest } from './send.ts'
import { type PartsDeps, sendParts } from './send-parts.ts'

const partSize = 1000
/** Of any part of the file as it is now. */
const ownChecksum = 'abc='

/** How a PUT goes wrong. */
type Fault =
  | { kind: 'lost'; how: 'network' | 'timeout' | 'stalled'; stored: boolean }
  | { kind: 'status'; status: number; code?: string; stored?: boolean; retryAfterMs?: number }
  /** The connection is lost and with it one more part that was there. */
  | { kind: 'forgets' }

const answerOf = (status: number, code: string | null = null, retryAfterMs: number | null = null) =>
  ({ kind: 'answer', status, code, uploadOffset: null, retryAfterMs }) satisfies StorageAnswer

/**
 * A storage, a line to it and the time that both take, all simulated: time goes on only when everybody
 * waits. Each PUT takes `partMs`; what goes wrong with it, `fault` tells when it begins.
 */
const simulate = (count: number, size = count * partSize) => {
  let time = 0
  let timers: { at: number; run: () => void }[] = []
  const back: (() => void)[] = []
  let signatures = 0
  const held = new Map<number, number>()
  /** The checksums of parts that storage holds of an older version of the file. */
  const older = new Map<number, string>()
  const underWay = new Set<number>()
  const cancel = new AbortController()
  const puts: { partNumber: number; at: number; signature: number; request: StorageRequest }[] = []
  const asked: number[] = []
  const signed: number[][] = []
  const waits: number[] = []
  const progress: number[] = []
  const mistakes: string[] = []
  const sim = {
    held,
    older,
    tellsChecksums: true,
    puts,
    asked,
    signed,
    waits,
    progress,
    mistakes,
    cancel,
    underWay,
    interruptions: 0,
    partMs: 100,
    callMs: 1,
    online: true,
    /** Whether the server itself is there. */
    ready: true,
    mostAtOnce: 0,
    /** How many PUTs were answered as they should be. */
    answered: 0,
    now: () => time,
    fault: (_partNumber: number): Fault | null => null,
    /** What a call is answered instead; null where it is answered as it should be. */
    refuse: (_call: 'sign' | 'list'): { status: number | null } | null => null,
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

  const answerTo = (partNumber: number, fault: Fault | null): StorageAnswer => {
    const store = () => {
      held.set(partNumber, partRange(size, partSize, partNumber).size)
      older.delete(partNumber)
      if (older.size > 0 && held.size === count) mistakes.push('a mixture is whole')
    }
    if (!fault) {
      store()
      sim.answered += 1
      return answerOf(200)
    }
    if (fault.kind === 'forgets') {
      const [first] = held.keys()
      if (first !== undefined) held.delete(first)
      return { kind: 'network' }
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
      if (held.has(partNumber) && !older.has(partNumber))
        mistakes.push(`part ${partNumber} was there`)
      if (underWay.has(partNumber)) mistakes.push(`part ${partNumber} twice at once`)
      underWay.add(partNumber)
      sim.mostAtOnce = Math.max(sim.mostAtOnce, underWay.size)
      const isOld = signature <= sim.oldestGoodSignature
      const fault: Fault | null = isOld ? { kind: 'status', status: 403 } : sim.fault(partNumber)
      try {
        const bytes = request.body?.size ?? 0
        request.onSent?.(Math.floor(bytes / 2))
        return await after(sim.partMs, request.signal, () => {
          if (!sim.online) return { kind: 'network' }
          const answer = answerTo(partNumber, fault)
          request.onSent?.(bytes)
          return answer
        })
      } finally {
        underWay.delete(partNumber)
      }
    },
    signParts: ({ partNumbers }, signal) =>
      after(sim.callMs, signal, (): Outcome<{ urls: Record<string, string> }> => {
        const refused = sim.online ? sim.refuse('sign') : { status: null }
        if (refused) return { ok: false, refusal: { code: null, message: null, ...refused } }
        signatures += 1
        signed.push(partNumbers)
        const urls = partNumbers.map((n) => [String(n), `/${n}/${signatures}`] as const)
        return { ok: true, value: { urls: Object.fromEntries(urls) } }
      }),
    listParts: (_, signal) =>
      after(sim.callMs, signal, () => {
        asked.push(time)
        const refused = sim.online ? sim.refuse('list') : { status: null }
        if (refused) return { ok: false, refusal: { code: null, message: null, ...refused } }
        return { ok: true, value: { parts: list() } }
      }),
    wait: (ms, signal) => {
      waits.push(ms)
      return after(ms, signal, () => undefined)
    },
    connection: {
      isOnline: () => sim.online,
      untilOnline: (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          if (sim.online) resolve()
          else back.push(resolve)
        }),
    },
    random: () => 0,
    isServerReady: (signal) => after(sim.callMs, signal, () => sim.ready).catch(() => false),
    now: () => time,
    checksums: {
      part: async () => ownChecksum,
    },
  }

  const run = async (job: Partial<TransferJob> = {}): Promise<void> => {
    let over = false
    const running = sendParts(
      {
        file: new Blob([new Uint8Array(size)]),
        ticket: { uploadUrl: '', cloudKey: 'k', metadata: { mimeType: '' }, checksum: 'crc32' },
        contentType: 'video/mp4',
        held: list(),
        hasFirstDate: true,
        resumed: true,
        partUrls: {},
        signal: cancel.signal,
        onProgress: (bytes) => {
          if (bytes < 0 || bytes > size) mistakes.push(`progress of ${bytes}`)
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
    // Whoever can go on without time passing goes on before it passes.
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

const failure = async (running: Promise<void>) => {
  const error: unknown = await running.catch((caught: unknown) => caught)
  if (!(error instanceof TransferFailed)) throw error ?? new Error('it should have failed')
  return { kind: error.kind, status: error.status }
}

/** The first `times` tries of a part go wrong like this. */
const firstTries = (times: number, fault: Fault, which = (_: number) => true) => {
  const tries = new Map<number, number>()
  return (partNumber: number) => {
    const before = tries.get(partNumber) ?? 0
    tries.set(partNumber, before + 1)
    return which(partNumber) && before < times ? fault : null
  }
}
const numbers = (sim: { puts: { partNumber: number }[] }) =>
  sim.puts.map(({ partNumber }) => partNumber)
const from1To = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

describe('parts that nothing disturbs', () => {
  test('are sent once each, lowest number first', async () => {
    const sim = simulate(20, 19_500)
    await sim.run()
    expect(numbers(sim)).toEqual(from1To(20))
    expect(sim.held.get(20)).toBe(500)
    expect(sim.progress.at(-1)).toBe(19_500)
    expect([sim.asked, sim.waits, sim.mistakes]).toEqual([[], [], []])
  })

  test('carry type and checksum, and the time-out of ten minutes', async () => {
    const sim = simulate(2)
    await sim.run()
    expect(sim.puts[0]?.request).toMatchObject({
      method: 'PUT',
      headers: { 'Content-Type': 'video/mp4', 'x-amz-checksum-crc32': ownChecksum },
      timeoutMs: 600_000,
      stallMs: 30_000,
    })
  })

  test('start four at once, and five where the line gives it', async () => {
    const sim = simulate(30)
    await sim.run()
    expect(sim.puts.slice(0, 5).map(({ at }) => at)).toEqual([1, 1, 1, 1, 101])
    expect(sim.mostAtOnce).toBe(5)
  })

  test('leave at once, and nothing is asked for, where the first are signed already', async () => {
    const sim = simulate(19)
    sim.oldestGoodSignature = -1
    const partUrls = Object.fromEntries(from1To(12).map((n) => [n, `/${n}/0`]))
    await sim.run({ resumed: false, partUrls })
    expect(sim.puts.slice(0, 4).map(({ at }) => at)).toEqual([0, 0, 0, 0])
    expect(numbers(sim)).toEqual(from1To(19))
    expect(sim.puts.map(({ signature }) => signature).lastIndexOf(0)).toBe(11)
    // Signed while others travelled, so that no lane waited.
    expect(sim.signed).toEqual([[13, 14, 15, 16, 17, 18, 19]])
    expect([...new Set(sim.puts.map(({ at }) => at))]).toEqual([0, 100, 200, 300])
    expect([sim.asked, sim.waits, sim.mistakes]).toEqual([[], [], []])
  })

  test('get fresh URLs where storage refuses those that were signed already', async () => {
    const sim = simulate(3)
    await sim.run({ resumed: false, partUrls: { 1: '/1/0', 2: '/2/0', 3: '/3/0' } })
    expect(numbers(sim).sort()).toEqual([1, 1, 2, 2, 3, 3])
    expect([sim.held.size, sim.waits, sim.mistakes]).toEqual([3, [], []])
  })

  test('travel two at once on a slow line, never one alone', async () => {
    const sim = simulate(20)
    sim.partMs = 120_000
    await sim.run()
    expect(sim.mistakes).toEqual([])
    // The first four judge the line; from then on two leave together each time two have arrived.
    const later = sim.puts.slice(4).map(({ at }) => at)
    for (const at of later) expect(later.filter((other) => other === at)).toHaveLength(2)
  })

  test('that storage holds already are not sent', async () => {
    const sim = simulate(6)
    for (const partNumber of [1, 3, 6]) sim.held.set(partNumber, partSize)
    await sim.run()
    expect(numbers(sim)).toEqual([2, 4, 5])
    expect(sim.progress[0]).toBe(3000)
  })

  test('that storage holds with another size are sent again', async () => {
    const sim = simulate(3)
    await sim.run({
      held: [
        { partNumber: 2, size: 999 },
        { partNumber: 4, size: 1000 },
        { partNumber: 0, size: 1000 },
      ],
    })
    expect(numbers(sim)).toEqual([1, 2, 3])
  })

  test('need nothing when all are there', async () => {
    const sim = simulate(3)
    for (const partNumber of [1, 2, 3]) sim.held.set(partNumber, partSize)
    await sim.run()
    expect([sim.puts, sim.signed]).toEqual([[], []])
    expect(sim.progress.at(-1)).toBe(3000)
  })

  test('are read once each, one ahead of those that travel', async () => {
    const sim = simulate(40)
    let reads = 0
    let most = 0
    const { part } = sim.deps.checksums
    sim.deps.checksums = {
      part: (...args) => {
        reads += 1
        most = Math.max(most, reads - sim.held.size)
        return part(...args)
      },
    }
    await sim.run()
    expect(reads).toBe(40)
    expect(most).toBeLessThanOrEqual(6)
  })
})

describe('parts that storage held before', () => {
  /** Storage holds so many parts; these of an older version. */
  const resume = (count: number, heldParts: number, older: number[]) => {
    const sim = simulate(count)
    for (const partNumber of from1To(heldParts)) sim.held.set(partNumber, partSize)
    for (const partNumber of older) sim.older.set(partNumber, 'other=')
    return sim
  }

  test('are sent again where the file has something else there, and only those', async () => {
    const sim = resume(12, 8, [2, 5, 8])
    await sim.run({ hasFirstDate: false })
    expect(numbers(sim).sort((one, other) => one - other)).toEqual([2, 5, 8, 9, 10, 11, 12])
    expect(numbers(sim).at(-1)).toBe(12)
    expect([sim.older.size, sim.held.size, sim.mistakes]).toEqual([0, 12, []])
    expect(sim.progress.at(-1)).toBe(12_000)
  })

  test('hold nothing up: the others travel while they are compared', async () => {
    const sim = resume(12, 8, [2])
    const { part } = sim.deps.checksums
    let reads = 0
    let mostReads = 0
    sim.deps.checksums = {
      part: async (...args) => {
        reads += 1
        mostReads = Math.max(mostReads, reads)
        const isOfHeld = numbers(sim).length >= 3
        if (isOfHeld) await new Promise<void>((done) => sim.at(1000, done))
        reads -= 1
        return part(...args)
      },
    }
    await sim.run()
    expect(numbers(sim)).toEqual([9, 10, 11, 2, 12])
    expect(sim.puts.slice(0, 3).map(({ at }) => at)).toEqual([1, 1, 1])
    expect(mostReads).toBeLessThanOrEqual(6)
  })

  test('need no signature where all of them are the own ones', async () => {
    const sim = resume(3, 3, [])
    await sim.run({ hasFirstDate: false })
    expect([sim.puts, sim.signed]).toEqual([[], []])
  })

  test.each([
    ['storage tells no checksum', true, [4]],
    ['storage tells no checksum', false, [1, 2, 3, 4]],
    ['this browser reckons none', true, [4]],
    ['this browser reckons none', false, [1, 2, 3, 4]],
  ])('%s: they are believed with the date of then (%s)', async (why, hasFirstDate, sent) => {
    const sim = resume(4, 3, [])
    if (why.startsWith('storage')) sim.tellsChecksums = false
    else sim.deps.checksums = { part: async () => null }
    sim.older.set(1, '').set(2, '').set(3, '')
    await sim.run({ hasFirstDate })
    expect(numbers(sim)).toEqual(sent)
  })

  test('and that arrived late from a tab that is gone are not taken for the own ones', async () => {
    const sim = simulate(6)
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false }, (n) => n < 3)
    sim.at(150, () => {
      for (const partNumber of [1, 6]) {
        sim.held.set(partNumber, partSize)
        sim.older.set(partNumber, 'other=')
      }
    })
    await sim.run({ held: [] })
    expect([sim.older.size, sim.held.size, sim.mistakes]).toEqual([0, 6, []])
  })

  test('are asked after where the answer to the own one was lost', async () => {
    const sim = resume(3, 2, [1, 2])
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: true })
    await sim.run()
    expect(numbers(sim)).toEqual([1, 2, 3])
    expect([sim.older.size, sim.mistakes]).toEqual([0, []])
  })

  test('and are all there of another version stay as they are, lest they become a mixture', async () => {
    const sim = resume(3, 3, [1, 3])
    expect(await failure(sim.run())).toEqual({ kind: 'unreadable', status: null })
    expect(sim.puts).toEqual([])
  })

  test('and the only one of its file is sent again all the same', async () => {
    const sim = resume(1, 1, [1])
    await sim.run()
    expect([numbers(sim), sim.older.size]).toEqual([[1], 0])
  })

  test('are compared no longer than the upload runs', async () => {
    const sim = resume(3, 3, [])
    const reason = new Error('Cancelled by user')
    sim.deps.checksums = {
      part: (_, __, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
    }
    sim.at(50, () => sim.cancel.abort(reason))
    await expect(sim.run()).rejects.toBe(reason)
  })

  test('end it where the file can no longer be read', async () => {
    const sim = resume(3, 3, [])
    sim.deps.checksums = { part: () => Promise.reject(new FileUnreadable(null)) }
    await expect(sim.run()).rejects.toBeInstanceOf(FileUnreadable)
  })
})

describe('signatures', () => {
  test('are asked for in batches, and no lane waits for one but the first', async () => {
    const sim = simulate(50)
    await sim.run()
    expect(sim.signed[0]).toHaveLength(16 + 1)
    expect(sim.signed.flat().sort((a, b) => a - b)).toEqual(from1To(50))
    expect(sim.signed.length).toBeLessThan(8)
    // Every part starts the moment another one ends.
    for (const { at } of sim.puts) expect((at - 1) % 100).toBe(0)
  })

  test('that ran out are refreshed at once, all that are as old', async () => {
    const sim = simulate(30)
    sim.fault = (partNumber) => {
      if (partNumber === 8) sim.oldestGoodSignature = 1
      return null
    }
    await sim.run()
    expect(sim.mistakes).toEqual([])
    expect(sim.waits).toEqual([])
    expect(sim.puts.length).toBeLessThanOrEqual(30 + 5)
    expect(sim.held.size).toBe(30)
  })

  test('that are refused fresh again and again fail', async () => {
    const sim = simulate(3)
    sim.fault = (partNumber) => (partNumber === 2 ? { kind: 'status', status: 403 } : null)
    expect(await failure(sim.run())).toEqual({ kind: 'status', status: 403 })
    expect(numbers(sim).filter((n) => n === 2)).toHaveLength(6)
    expect(
      new Set(sim.puts.map(({ partNumber, signature }) => `${partNumber} ${signature}`)).size,
    ).toBe(sim.puts.length)
  })

  test.each([
    [401, 'signed-out'],
    [404, 'gone'],
    [403, 'status'],
    [400, 'status'],
  ])('a call that answers %i ends it as %s', async (status, kind) => {
    const sim = simulate(3)
    sim.refuse = () => ({ status })
    expect(await failure(sim.run())).toEqual({ kind, status })
    expect(sim.puts).toEqual([])
    expect(sim.waits).toEqual([])
  })

  test.each([null, 500, 503, 429])('a call that fails with %s is made again', async (status) => {
    const sim = simulate(3)
    let calls = 0
    sim.refuse = () => {
      calls += 1
      return calls <= 2 ? { status } : null
    }
    await sim.run()
    expect(sim.held.size).toBe(3)
    expect(numbers(sim).sort()).toEqual([1, 2, 3])
  })

  test('a call that never succeeds gives up after eight rounds', async () => {
    const sim = simulate(3)
    sim.refuse = () => ({ status: null })
    expect(await failure(sim.run())).toEqual({ kind: 'network', status: null })
    expect(Math.max(...sim.waits)).toBe(30_000)
    expect(sim.now()).toBeGreaterThan(120_000)
  })
})

describe('a part that fails', () => {
  test('is tried again after 3 s by its own lane, while the others go on', async () => {
    const sim = simulate(40)
    sim.fault = firstTries(1, { kind: 'status', status: 500 }, (n) => n === 2)
    await sim.run()
    expect(sim.waits).toEqual([3000])
    const second = sim.puts.filter(({ partNumber }) => partNumber === 2)[1]
    const meanwhile = sim.puts.filter(({ at }) => at > 101 && at < (second?.at ?? 0))
    expect(meanwhile.length).toBeGreaterThan(30)
    expect(sim.interruptions).toBe(0)
    expect(sim.held.size).toBe(40)
  })

  test.each(['network', 'timeout', 'stalled'] as const)(
    'is not sent again where only the answer was lost (%s)',
    async (how) => {
      const sim = simulate(4)
      sim.fault = firstTries(1, { kind: 'lost', how, stored: true })
      await sim.run()
      expect(numbers(sim)).toEqual([1, 2, 3, 4])
      expect(sim.asked).toHaveLength(4)
      expect(sim.mistakes).toEqual([])
    },
  )

  test('is asked after, and sent again where it did not arrive', async () => {
    const sim = simulate(2)
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false })
    await sim.run()
    expect(numbers(sim).sort()).toEqual([1, 1, 2, 2])
    expect(sim.interruptions).toBeGreaterThan(0)
    // It falls back by what was on its way.
    expect(sim.progress.some((bytes, at) => bytes < (sim.progress[at - 1] ?? 0))).toBe(true)
  })

  test('waits as long as Retry-After asks, within reason, and nobody asks for what was turned away', async () => {
    const sim = simulate(2)
    const asks: Fault[] = [
      { kind: 'status', status: 503, retryAfterMs: 20_000 },
      { kind: 'status', status: 429, retryAfterMs: 86_400_000 },
    ]
    sim.fault = (partNumber) => (partNumber === 1 ? (asks.shift() ?? null) : null)
    await sim.run()
    expect(sim.waits).toEqual([20_000, 60_000])
    expect(sim.asked).toEqual([])
  })

  test.each([
    [409, 'CHECKSUM_MISMATCH'],
    [400, 'BadDigest'],
  ])('because it arrived altered (%i %s) is read and sent again', async (status, code) => {
    const sim = simulate(2)
    let reads = 0
    const { part } = sim.deps.checksums
    sim.deps.checksums = {
      part: (...args) => {
        reads += 1
        return part(...args)
      },
    }
    sim.fault = firstTries(1, { kind: 'status', status, code }, (n) => n === 1)
    await sim.run()
    expect(numbers(sim)).toEqual([1, 2, 1])
    expect(reads).toBe(3)
    expect(sim.asked).toEqual([])
  })

  test('because it always arrives altered fails, although others get through', async () => {
    const sim = simulate(200)
    sim.fault = (n) => (n === 3 ? { kind: 'status', status: 409, code: 'CHECKSUM_MISMATCH' } : null)
    expect(await failure(sim.run())).toEqual({ kind: 'status', status: 409 })
    expect(numbers(sim).filter((n) => n === 3)).toHaveLength(6)
  })

  test.each([
    [404, 'gone'],
    [410, 'gone'],
    [400, 'status'],
    [413, 'status'],
  ])('with %i ends everything as %s, with nothing left running', async (status, kind) => {
    const sim = simulate(20)
    sim.fault = (n) => (n === 6 ? { kind: 'status', status } : null)
    expect(await failure(sim.run())).toEqual({ kind, status })
    expect(sim.underWay.size).toBe(0)
    expect(sim.puts.length).toBeLessThan(12)
  })

  test('is not given up while the server is away, however long, and the waits stay at 30 s', async () => {
    const sim = simulate(20)
    sim.fault = () => (sim.ready ? null : { kind: 'status', status: 503 })
    sim.at(250, () => {
      sim.ready = false
    })
    sim.at(3_600_000, () => {
      sim.ready = true
    })
    await sim.run()
    expect(sim.held.size).toBe(20)
    expect(Math.max(...sim.waits)).toBe(30_000)
    expect(sim.interruptions).toBeGreaterThan(100)
    expect(sim.now()).toBeLessThan(3_600_000 + 31_000)
  })

  test.each(['sign', 'list'] as const)(
    'for want of an answer to a call (%s) is not given up either while the server is away',
    async (which) => {
      const sim = simulate(6)
      sim.ready = false
      sim.refuse = (call) => (call === which && !sim.ready ? { status: null } : null)
      const lost: Fault = { kind: 'lost', how: 'network', stored: false }
      if (which === 'list') sim.fault = firstTries(1, lost)
      sim.at(600_000, () => {
        sim.ready = true
      })
      await sim.run()
      expect(sim.held.size).toBe(6)
      expect(sim.now()).toBeLessThan(600_000 + 31_000)
    },
  )

  test('is given up after eight rounds in which no lane stored anything', async () => {
    const sim = simulate(10)
    sim.fault = () => ({ kind: 'status', status: 500 })
    expect(await failure(sim.run())).toEqual({ kind: 'status', status: 500 })
    const mostOfOnePart = Math.max(
      ...from1To(10).map((n) => numbers(sim).filter((other) => other === n).length),
    )
    expect(mostOfOnePart).toBe(maxFruitlessTries)
    expect(Math.max(...sim.waits)).toBe(30_000)
    expect(sim.interruptions).toBeGreaterThan(0)
  })

  test('again and again does not end the upload while others get through', async () => {
    const sim = simulate(400)
    sim.partMs = 5000
    sim.fault = firstTries(12, { kind: 'status', status: 500 }, (n) => n === 1)
    await sim.run()
    expect(sim.held.size).toBe(400)
  })

  test('with more patience each time where it only stalls', async () => {
    const sim = simulate(1)
    sim.fault = firstTries(6, { kind: 'lost', how: 'stalled', stored: false })
    await sim.run()
    expect(sim.puts.map(({ request }) => (request.stallMs ?? 0) / 1000)).toEqual([
      30, 60, 120, 240, 480, 600, 600,
    ])
  })

  test('for want of time leaves fewer lanes', async () => {
    const sim = simulate(4)
    sim.partMs = 600_000
    sim.fault = firstTries(1, { kind: 'lost', how: 'timeout', stored: false })
    await sim.run()
    const later = sim.puts.slice(4)
    expect(later.filter(({ at }) => at === later[0]?.at).length).toBeLessThanOrEqual(2)
    expect(sim.held.size).toBe(4)
  })

  test('spreads its waits, so that what failed together does not come back together', async () => {
    const sim = simulate(4)
    let draws = 0
    sim.deps.random = () => {
      draws += 1
      return (draws % 4) / 4
    }
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false })
    await sim.run()
    expect(new Set(sim.waits).size).toBe(4)
    expect(Math.min(...sim.waits)).toBeGreaterThanOrEqual(3000)
    expect(Math.max(...sim.waits)).toBeLessThan(3900)
  })
})

describe('a part that storage has lost', () => {
  test('is sent again, and progress falls back', async () => {
    const sim = simulate(12)
    let forgets = true
    sim.fault = (n) => {
      if (n !== 9 || !forgets) return null
      forgets = false
      return { kind: 'forgets' }
    }
    await sim.run()
    expect(numbers(sim).filter((n) => n === 1)).toHaveLength(2)
    expect(sim.held.size).toBe(12)
    expect(sim.progress.at(-1)).toBe(12_000)
  })
})

describe('offline', () => {
  test('no try counts; it goes on at once when the browser is back', async () => {
    const sim = simulate(8)
    sim.at(150, () => {
      sim.online = false
    })
    sim.at(3_600_000, sim.goOnline)
    await sim.run()
    expect(sim.held.size).toBe(8)
    expect(sim.waits).toEqual([])
    expect(sim.puts.filter(({ at }) => at > 300 && at < 3_600_000)).toEqual([])
    expect(sim.now()).toBeLessThan(3_600_000 + 1000)
    expect(sim.interruptions).toBeGreaterThan(0)
  })
})

describe('cancelling', () => {
  test.each([50, 150, 3050])('after %i ms ends everything with the reason', async (ms) => {
    const sim = simulate(1000)
    const reason = new Error('Cancelled by user')
    if (ms > 1000) sim.fault = () => ({ kind: 'lost', how: 'network', stored: false })
    sim.at(ms, () => sim.cancel.abort(reason))
    await expect(sim.run()).rejects.toBe(reason)
    expect(sim.underWay.size).toBe(0)
    expect(sim.now()).toBe(ms)
  })

  test('before it begins sends nothing', async () => {
    const sim = simulate(3)
    const reason = new Error('Cancelled by user')
    sim.cancel.abort(reason)
    await expect(sim.run()).rejects.toBe(reason)
    expect([sim.puts, sim.signed]).toEqual([[], []])
  })
})

test('a file that was changed while a part of it travelled ends it', async () => {
  const sim = simulate(9)
  sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false }, (n) => n === 5)
  const file = new Blob([new Uint8Array(9000)])
  const { slice } = Blob.prototype
  file.slice = (...range) => {
    const part = slice.apply(file, range)
    if (sim.puts.length > 5) part.arrayBuffer = () => Promise.reject(new Error('NotReadableError'))
    return part
  }
  expect(await failure(sim.run({ file }))).toEqual({ kind: 'unreadable', status: null })
  expect(sim.waits).toEqual([])
})

test('a file that can no longer be read ends it', async () => {
  const sim = simulate(9)
  const { part } = sim.deps.checksums
  let reads = 0
  sim.deps.checksums = {
    part: (...args) => {
      reads += 1
      return reads === 6 ? Promise.reject(new FileUnreadable(null)) : part(...args)
    },
  }
  await expect(sim.run()).rejects.toBeInstanceOf(FileUnreadable)
  expect(sim.underWay.size).toBe(0)
})

describe('whatever goes wrong', () => {
  const lost = fc.record({
    kind: fc.constant('lost' as const),
    how: fc.constantFrom('network' as const, 'timeout' as const, 'stalled' as const),
    stored: fc.boolean(),
  })
  const passing = fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(500, 502, 504, 408),
    stored: fc.boolean(),
  })
  const refused = fc.constantFrom<Fault>(
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429, retryAfterMs: 7000 },
    { kind: 'status', status: 403 },
    { kind: 'status', status: 409, code: 'CHECKSUM_MISMATCH' },
    { kind: 'status', status: 400, code: 'BadDigest' },
    { kind: 'status', status: 409, code: 'UPLOAD_SUPERSEDED' },
  )
  const fault = fc.oneof(lost, passing, refused, fc.constant<Fault>({ kind: 'forgets' }))
  const script = fc.array(fc.option(fault, { freq: 3 }), { maxLength: 80 })
  const callScript = fc.array(fc.constantFrom(null, null, { status: null }, { status: 500 }), {
    maxLength: 30,
  })
  const outages = fc.array(fc.tuple(fc.nat(60_000), fc.nat(90_000)), { maxLength: 3 })

  test('once it ends the upload finishes, and nothing was sent twice that had arrived', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: partSize }),
        script,
        callScript,
        outages,
        fc.integer({ min: 1, max: 40_000 }),
        fc.array(fc.constantFrom('none', 'own', 'older'), { maxLength: 25 }),
        async (count, lastPart, faults, refusals, dark, partMs, before) => {
          const size = (count - 1) * partSize + lastPart
          const sim = simulate(count, size)
          for (const [at, whose] of before.slice(0, count).entries()) {
            if (whose === 'none') continue
            sim.held.set(at + 1, partRange(size, partSize, at + 1).size)
            if (whose === 'older') sim.older.set(at + 1, 'other=')
          }
          sim.partMs = partMs
          // The storage shows mercy where it would be given up: eight rounds, five refusals of a part.
          let sinceAnswered = 0
          let answeredThen = 0
          let consumed = 0
          const refusalsOf = new Map<number, number>()
          const isHard = () => {
            sinceAnswered = sim.answered > answeredThen ? 0 : sinceAnswered
            answeredThen = sim.answered
            return sinceAnswered < 5
          }
          sim.fault = (partNumber) => {
            const next = isHard() ? (faults.shift() ?? null) : null
            if (next === null) return null
            const isRefusal = next.kind === 'status' && [403, 409, 400].includes(next.status)
            const earlier = refusalsOf.get(partNumber) ?? 0
            if (isRefusal && earlier >= 5) return null
            if (isRefusal) refusalsOf.set(partNumber, earlier + 1)
            sinceAnswered += 1
            consumed += 1
            return next
          }
          sim.refuse = () => {
            const next = isHard() ? (refusals.shift() ?? null) : null
            if (next) sinceAnswered += 1
            return next
          }
          let cuts = 0
          let end = 0
          for (const [start, length] of dark) {
            const from = end + start
            end = from + length
            const until = end
            sim.at(from, () => {
              cuts += sim.underWay.size
              sim.online = false
              sim.at(until - from, sim.goOnline)
            })
          }
          if (sim.held.size === count && sim.older.size > 0 && count > 1) {
            expect(await failure(sim.run())).toEqual({ kind: 'unreadable', status: null })
            return
          }
          await sim.run()

          expect([sim.held.size, sim.older.size]).toEqual([count, 0])
          expect(sim.mistakes).toEqual([])
          expect(sim.mostAtOnce).toBeLessThanOrEqual(5)
          expect(sim.progress.at(-1)).toBe((count - 1) * partSize + lastPart)
          // A fault costs one part at most; a cut line one for each lane; a lost part itself.
          const forgotten = sim.puts.length - count
          expect(forgotten).toBeLessThanOrEqual(2 * consumed + cuts)
        },
      ),
      { numRuns: 300 },
    )
  }, 60_000)
})
