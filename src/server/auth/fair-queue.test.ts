import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function queueOf(limits: { most: number; mostOfOne: number }, items: string[]) {
  const queue = new FairQueue<string>(limits)
  const refused = items.map((item) => queue.add(item.charAt(0), item))
  return { queue, refused }
}

interface Item {
  client: string
  id: number
}

function countOf(items: Item[], client: string) {
  return items.filter((item) => item.client === client).length
}

function takeAll(queue: FairQueue<string>) {
  const taken: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

describe('FairQueue', () => {
  it('lets clients take turns, and keeps the order of each', () => {
    const { queue } = queueOf({ most: 9, mostOfOne: 9 }, ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(queue.take()).toBeUndefined()
  })

  it('puts who had a turn behind all who wait', () => {
    const { queue } = queueOf({ most: 9, mostOfOne: 9 }, ['a1', 'b1'])
    expect(queue.take()).toBe('a1')
    queue.add('a', 'a2')
    queue.add('c', 'c1')
    expect(takeAll(queue)).toEqual(['b1', 'a2', 'c1'])
  })

  it('refuses what one client has too many of', () => {
    const { queue, refused } = queueOf({ most: 9, mostOfOne: 2 }, ['a1', 'a2', 'a3', 'b1'])
    expect(refused).toEqual([undefined, undefined, 'a3', undefined])
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2'])
  })

  it('when it is full, takes the newest from whoever has the most', () => {
    const { queue, refused } = queueOf({ most: 3, mostOfOne: 3 }, ['a1', 'a2', 'a3', 'b1'])
    expect(refused.at(-1)).toBe('a3')
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2'])
  })

  it('when it is full, refuses who would have as many as those who wait', () => {
    const { refused } = queueOf({ most: 2, mostOfOne: 2 }, ['a1', 'b1', 'c1', 'a2'])
    expect(refused).toEqual([undefined, undefined, 'c1', 'a2'])
  })

  it('never holds more than it may, and loses nothing, whatever is asked of it', () => {
    const step = fc.oneof(
      fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.constant({ add: null }),
    )
    const sizes = {
      most: fc.integer({ min: 1, max: 6 }),
      mostOfOne: fc.integer({ min: 1, max: 6 }),
    }
    fc.assert(
      fc.property(fc.record(sizes), fc.array(step, { maxLength: 60 }), (limits, steps) => {
        const queue = new FairQueue<Item>(limits)
        let waiting: Item[] = []
        for (const [id, { add }] of steps.entries()) {
          const item = add === null ? undefined : { client: add, id }
          const gone = item ? queue.add(item.client, item) : queue.take()
          waiting = [...waiting, ...(item ? [item] : [])]
          expect(gone === undefined || waiting.includes(gone)).toBe(true)
          expect(item !== undefined || gone !== undefined || waiting.length === 0).toBe(true)
          waiting = waiting.filter((one) => one !== gone)
          expect(waiting.length).toBeLessThanOrEqual(limits.most)
          const mostOfOne = Math.max(...'abcd'.split('').map((client) => countOf(waiting, client)))
          expect(mostOfOne).toBeLessThanOrEqual(limits.mostOfOne)
        }
      }),
    )
  })
})
