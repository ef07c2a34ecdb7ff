import { describe, expect, test } from 'vitest'
import {
  failureOf,
  firstTries,
  from1To,
  ownChecksum,
  partSize,
  sentNumbers,
  simulateParts,
} from '../../../../tests/support/parts-world.ts'
import { FileUnreadable } from './hash-blob.ts'

describe('parts that nothing disturbs', () => {
  test('are sent once each, lowest number first', async () => {
    const sim = simulateParts(20, 19_500)
    await sim.run()
    expect(sentNumbers(sim)).toEqual(from1To(20))
    expect(sim.held.get(20)).toBe(500)
    expect(sim.progress.at(-1)).toBe(19_500)
    expect([sim.asked, sim.waits, sim.mistakes]).toEqual([[], [], []])
  })

  test('carry type and checksum, and the time-out of ten minutes', async () => {
    const sim = simulateParts(2)
    await sim.run()
    expect(sim.puts[0]?.request).toMatchObject({
      method: 'PUT',
      headers: { 'Content-Type': 'video/mp4', 'x-amz-checksum-crc32': ownChecksum },
      timeoutMs: 600_000,
      stallMs: 30_000,
    })
  })

  test('start four at once, and five where the line gives it', async () => {
    const sim = simulateParts(30)
    await sim.run()
    expect(sim.puts.slice(0, 5).map(({ at }) => at)).toEqual([1, 1, 1, 1, 101])
    expect(sim.mostAtOnce).toBe(5)
  })

  test('leave at once, and nothing is asked for, where the first are signed already', async () => {
    const sim = simulateParts(19)
    sim.oldestGoodSignature = -1
    const partUrls = Object.fromEntries(from1To(12).map((n) => [n, `/${n}/0`]))
    await sim.run({ resumed: false, partUrls })
    expect(sim.puts.slice(0, 4).map(({ at }) => at)).toEqual([0, 0, 0, 0])
    expect(sentNumbers(sim)).toEqual(from1To(19))
    expect(sim.puts.map(({ signature }) => signature).lastIndexOf(0)).toBe(11)
    // These URLs were signed while other parts were being sent, so no connection waited.
    expect(sim.signed).toEqual([[13, 14, 15, 16, 17, 18, 19]])
    expect([...new Set(sim.puts.map(({ at }) => at))]).toEqual([0, 100, 200, 300])
    expect([sim.asked, sim.waits, sim.mistakes]).toEqual([[], [], []])
  })

  test('get fresh URLs where storage refuses those that were signed already', async () => {
    const sim = simulateParts(3)
    await sim.run({ resumed: false, partUrls: { 1: '/1/0', 2: '/2/0', 3: '/3/0' } })
    expect(sentNumbers(sim).sort()).toEqual([1, 1, 2, 2, 3, 3])
    expect([sim.held.size, sim.waits, sim.mistakes]).toEqual([3, [], []])
  })

  test('travel two at once on a slow line, never one alone', async () => {
    const sim = simulateParts(20)
    sim.partMs = 120_000
    await sim.run()
    expect(sim.mistakes).toEqual([])
    // The first four parts measure the speed. After that, two parts start whenever two have
    // arrived.
    const later = sim.puts.slice(4).map(({ at }) => at)
    for (const at of later) expect(later.filter((other) => other === at)).toHaveLength(2)
  })

  test('that storage holds already are not sent', async () => {
    const sim = simulateParts(6)
    for (const partNumber of [1, 3, 6]) sim.held.set(partNumber, partSize)
    await sim.run()
    expect(sentNumbers(sim)).toEqual([2, 4, 5])
    expect(sim.progress[0]).toBe(3000)
  })

  test('that storage holds with another size are sent again', async () => {
    const sim = simulateParts(3)
    await sim.run({
      held: [
        { partNumber: 2, size: 999 },
        { partNumber: 4, size: 1000 },
        { partNumber: 0, size: 1000 },
      ],
    })
    expect(sentNumbers(sim)).toEqual([1, 2, 3])
  })

  test('need nothing when all are there', async () => {
    const sim = simulateParts(3)
    for (const partNumber of [1, 2, 3]) sim.held.set(partNumber, partSize)
    await sim.run()
    expect([sim.puts, sim.signed]).toEqual([[], []])
    expect(sim.progress.at(-1)).toBe(3000)
  })

  test('are read once each, one ahead of those that travel', async () => {
    const sim = simulateParts(40)
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
    // Five parts are being sent, and the checksum of one more is computed.
    expect(most).toBe(6)
  })
})

describe('cancelling', () => {
  test.each([50, 150, 3050])('after %i ms ends everything with the reason', async (ms) => {
    const sim = simulateParts(1000)
    const reason = new Error('Cancelled by user')
    if (ms > 1000) sim.fault = () => ({ kind: 'lost', how: 'network', stored: false })
    sim.at(ms, () => sim.cancel.abort(reason))
    await expect(sim.run()).rejects.toBe(reason)
    expect(sim.underWay.size).toBe(0)
    expect(sim.now()).toBe(ms)
  })

  test('before it begins sends nothing', async () => {
    const sim = simulateParts(3)
    const reason = new Error('Cancelled by user')
    sim.cancel.abort(reason)
    await expect(sim.run()).rejects.toBe(reason)
    expect([sim.puts, sim.signed]).toEqual([[], []])
  })
})

test('a file that was changed while a part of it travelled ends it', async () => {
  const sim = simulateParts(9)
  sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: false }, (n) => n === 5)
  const file = new Blob([new Uint8Array(9000)])
  const { slice } = Blob.prototype
  file.slice = (...range) => {
    const part = slice.apply(file, range)
    if (sim.puts.length > 5) part.arrayBuffer = () => Promise.reject(new Error('NotReadableError'))
    return part
  }
  expect(await failureOf(sim.run({ file }))).toEqual({ kind: 'unreadable', status: null })
  expect(sim.waits).toEqual([])
})

test('a file that can no longer be read ends it', async () => {
  const sim = simulateParts(9)
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
