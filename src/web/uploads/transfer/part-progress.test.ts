import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { from1To } from '../../../../tests/support/parts-world.ts'
import { PartProgress } from './part-progress.ts'

/** The size of a file of 4 parts, the last one of 300 bytes. */
const size = 3300
let parts: PartProgress

beforeEach(() => {
  parts = new PartProgress(size, { size: 1000, count: 4 })
})

function whole(partNumber: number) {
  return { partNumber, size: parts.range(partNumber).size }
}

describe('which part is next', () => {
  test('the lowest number that is neither held nor in flight', () => {
    expect(parts.next()).toBe(1)
    parts.hold(1)
    parts.hold(3)
    expect(parts.beginNext()).toBe(2)
    expect(parts.next()).toBe(4)
    expect([...parts.upcoming()]).toEqual([4])
    parts.release(2)
    expect([...parts.upcoming()]).toEqual([2, 4])
  })

  test('none when all are held or in flight', () => {
    for (const partNumber of [1, 2]) parts.hold(partNumber)
    expect([parts.beginNext(), parts.beginNext(), parts.beginNext(), parts.next()]).toEqual([
      3,
      4,
      null,
      null,
    ])
    expect(parts.reserveLast()).toBeNull()
  })

  test('the last one only once it is released, where it is reserved', () => {
    expect(parts.reserveLast()).toBe(4)
    expect([...parts.upcoming()]).toEqual([1, 2, 3])
    parts.release(4)
    expect([...parts.upcoming()]).toEqual([1, 2, 3, 4])
  })

  test('taking what is next takes every missing part once, in order', () => {
    const already = fc.uniqueArray(fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(already, fc.integer({ min: 0, max: 40 }), (held, count) => {
        const some = new PartProgress(count * 10, { size: 10, count })
        for (const partNumber of held.filter((one) => one <= count)) some.hold(partNumber)
        const taken: number[] = []
        for (let next = some.beginNext(); next !== null; next = some.beginNext()) taken.push(next)
        expect(taken).toEqual(from1To(count).filter((one) => !held.includes(one)))
      }),
    )
  })
})

describe('bytes', () => {
  test('are those of held parts, and those that have left of parts in flight', () => {
    parts.hold(4)
    expect(parts.bytes).toBe(300)
    parts.beginNext()
    parts.sent(1, 600)
    expect(parts.bytes).toBe(900)
    parts.sent(1, 5000)
    expect(parts.bytes).toBe(1300)
  })

  test('count a part once when it arrives, and not at all when it is released or lost', () => {
    parts.beginNext()
    parts.sent(1, 1000)
    parts.hold(1)
    parts.hold(1)
    expect(parts.bytes).toBe(1000)
    parts.release(1)
    expect(parts.bytes).toBe(1000)
    parts.lose(1)
    parts.lose(1)
    expect(parts.bytes).toBe(0)
    parts.beginNext()
    parts.sent(1, 700)
    parts.release(1)
    expect(parts.bytes).toBe(0)
  })

  test('of a part that is not in flight are not counted', () => {
    parts.sent(2, 500)
    expect(parts.bytes).toBe(0)
  })
})

test('a part counts as stored each time that storage gets it anew', () => {
  parts.hold(1)
  parts.hold(1)
  expect(parts.arrivals).toBe(1)
  parts.lose(1)
  parts.hold(1)
  expect(parts.arrivals).toBe(2)
})

describe('what storage says it holds', () => {
  test('is believed of whole parts of this file only', () => {
    parts.learn(
      [
        whole(1),
        { partNumber: 2, size: 999 },
        whole(4),
        { partNumber: 0, size: 1000 },
        { partNumber: 5, size: 1000 },
      ],
      [],
      null,
    )
    expect(parts.held()).toEqual([1, 4])
  })

  test('is less than was known: the part is to be sent again', () => {
    parts.hold(1)
    parts.hold(2)
    parts.learn([whole(2)], [1, 2], null)
    expect([parts.held(), parts.next()]).toEqual([[2], 1])
  })

  test('says nothing of what arrived after it was asked', () => {
    const knownBefore = parts.held()
    parts.hold(1)
    parts.learn([], knownBefore, null)
    expect(parts.held()).toEqual([1])
  })

  test('is left to the parts in flight, but for the one that asks', () => {
    expect([parts.beginNext(), parts.beginNext()]).toEqual([1, 2])
    parts.learn([whole(1), whole(2), whole(3)], [], 2)
    expect(parts.held()).toEqual([2, 3])
  })
})
