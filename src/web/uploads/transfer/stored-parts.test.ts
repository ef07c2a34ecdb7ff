import { expect, test } from 'vitest'
import {
  partChecksum,
  partSize,
  rangeTo,
  sentPartNumbers,
  simulateParts,
  transferErrorOf,
} from '../../../../tests/support/parts-world.ts'
import { FileUnreadableError } from './hash-blob.ts'

/**
 * Simulates storage that has the first `storedCount` parts. `olderParts` lists the parts whose
 * bytes are from an older version of the file.
 */
function resume(count: number, storedCount: number, olderParts: number[] = []) {
  const sim = simulateParts(count)
  for (const partNumber of rangeTo(storedCount)) sim.storedParts.set(partNumber, partSize)
  for (const partNumber of olderParts) sim.oldChecksums.set(partNumber, 'other=')
  return sim
}

test("parts with a matching checksum are not resent, whatever the file's date", async () => {
  const sim = resume(6, 4)
  await sim.run({ hasOriginalDate: false })
  expect(sentPartNumbers(sim)).toEqual([5, 6])
  expect(sim.progress[0]).toBe(4000)
})

test('incomplete parts are resent, and unknown part numbers are ignored', async () => {
  const sim = simulateParts(3)
  const storedParts = [
    { partNumber: 2, size: 999, checksum: partChecksum },
    { partNumber: 4, size: 1000, checksum: partChecksum },
    { partNumber: 0, size: 1000, checksum: partChecksum },
  ]
  await sim.run({ storedParts })
  expect(sentPartNumbers(sim)).toEqual([1, 2, 3])
})

test.each([
  [12, 8],
  [3, 3],
  [1, 1],
])('of %i parts, %i are stored and one differs: nothing is sent', async (count, storedCount) => {
  const sim = resume(count, storedCount, [storedCount])
  expect(await transferErrorOf(sim.run())).toEqual({ kind: 'changed', status: null })
  expect(sim.puts).toEqual([])
})

test.each(['storage has no checksum', 'the browser cannot compute one'])(
  "if %s, the file's date decides",
  async (reason) => {
    const findParts = () => {
      const sim = resume(4, 3)
      if (reason.startsWith('storage')) sim.listsChecksums = false
      else sim.deps.checksums = { part: async () => null }
      return sim
    }
    const [same, other] = [findParts(), findParts()]
    await same.run({ hasOriginalDate: true })
    expect(sentPartNumbers(same)).toEqual([4])
    expect(await transferErrorOf(other.run({ hasOriginalDate: false }))).toMatchObject({
      kind: 'changed',
    })
  },
)

test('cancelling the upload ends the comparison', async () => {
  const sim = resume(3, 3)
  const reason = new Error('Cancelled by user')
  sim.deps.checksums = {
    part: (_, __, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      ),
  }
  sim.schedule(50, () => sim.cancel.abort(reason))
  await expect(sim.run()).rejects.toBe(reason)
})

test('an unreadable file ends the comparison', async () => {
  const sim = resume(3, 3)
  sim.deps.checksums = { part: () => Promise.reject(new FileUnreadableError(null)) }
  await expect(sim.run()).rejects.toBeInstanceOf(FileUnreadableError)
})
