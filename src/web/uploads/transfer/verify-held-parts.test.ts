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

describe('parts that storage held before', () => {
  /**
   * Makes a storage that has the first `heldParts` parts. The parts in `older` have the bytes of an
   * older version.
   */
  const resume = (count: number, heldParts: number, older: number[]) => {
    const sim = simulateParts(count)
    for (const partNumber of from1To(heldParts)) sim.held.set(partNumber, partSize)
    for (const partNumber of older) sim.older.set(partNumber, 'other=')
    return sim
  }

  test('are sent again where the file has something else there, and only those', async () => {
    const sim = resume(12, 8, [2, 5, 8])
    await sim.run({ hasFirstDate: false })
    expect(sentNumbers(sim).sort((one, other) => one - other)).toEqual([2, 5, 8, 9, 10, 11, 12])
    expect(sentNumbers(sim).at(-1)).toBe(12)
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
        const isOfHeld = sentNumbers(sim).length >= 3
        if (isOfHeld) await new Promise<void>((done) => sim.at(1000, done))
        reads -= 1
        return part(...args)
      },
    }
    await sim.run()
    expect(sentNumbers(sim)).toEqual([9, 10, 11, 2, 12])
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
    ['this browser computes none', true, [4]],
    ['this browser computes none', false, [1, 2, 3, 4]],
  ])('%s: they are believed with the date of then (%s)', async (why, hasFirstDate, sent) => {
    const sim = resume(4, 3, [])
    if (why.startsWith('storage')) sim.tellsChecksums = false
    else sim.deps.checksums = { part: async () => null }
    sim.older.set(1, '').set(2, '').set(3, '')
    await sim.run({ hasFirstDate })
    expect(sentNumbers(sim)).toEqual(sent)
  })

  test('and that arrived late from a tab that is gone are not taken for the own ones', async () => {
    const sim = simulateParts(6)
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

  test('and were lost and sent anew before they are compared are the own ones', async () => {
    const sim = simulateParts(8)
    for (const partNumber of [2, 1]) sim.held.set(partNumber, partSize)
    sim.older.set(2, 'other=')
    const { part } = sim.deps.checksums
    let reads = 0
    sim.deps.checksums = {
      part: async (...args) => {
        reads += 1
        // This reads part 1, whose checksum is compared before that of part 2.
        if (reads === 1) await new Promise<void>((done) => sim.at(10_000, done))
        return part(...args)
      },
    }
    sim.fault = firstTries(1, { kind: 'forgets' }, (n) => n === 3)
    await sim.run({
      held: [
        { partNumber: 1, size: partSize, checksum: ownChecksum },
        { partNumber: 2, size: partSize, checksum: 'other=' },
      ],
    })
    expect(sentNumbers(sim).filter((n) => n === 2)).toEqual([2])
    expect([sim.older.size, sim.held.size, sim.mistakes]).toEqual([0, 8, []])
  })

  test('are asked after where the answer to the own one was lost', async () => {
    const sim = resume(3, 2, [1, 2])
    sim.fault = firstTries(1, { kind: 'lost', how: 'network', stored: true })
    await sim.run()
    expect(sentNumbers(sim)).toEqual([1, 2, 3])
    expect([sim.older.size, sim.mistakes]).toEqual([0, []])
  })

  test('and are all there of another version stay as they are, lest they become a mixture', async () => {
    const sim = resume(3, 3, [1, 3])
    expect(await failureOf(sim.run())).toEqual({ kind: 'unreadable', status: null })
    expect(sim.puts).toEqual([])
  })

  test('and the only one of its file is sent again all the same', async () => {
    const sim = resume(1, 1, [1])
    await sim.run()
    expect([sentNumbers(sim), sim.older.size]).toEqual([[1], 0])
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
