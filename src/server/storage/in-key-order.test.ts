import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inKeyOrder } from './in-key-order.ts'
import type { StoredObject } from './storage.ts'

async function* listing(objects: readonly StoredObject[]): AsyncGenerator<StoredObject, void> {
  yield* objects
}

/**
 * Creates one of the sorted lists. Each list has its own date, so that tests can tell which one an
 * object came from.
 */
function side(keys: Iterable<string>, date: number): StoredObject[] {
  return [...keys].sort().map((key) => ({ key, modifiedAt: new Date(date) }))
}

async function allOf(objects: AsyncIterable<StoredObject>): Promise<StoredObject[]> {
  const all: StoredObject[] = []
  for await (const object of objects) all.push(object)
  return all
}

async function merged(first: Iterable<string>, second: Iterable<string>): Promise<StoredObject[]> {
  return allOf(inKeyOrder(listing(side(first, 1)), listing(side(second, 2))))
}

const keys = fc.uniqueArray(fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', 'z') }))

it('lists each object once in key order, preferring the first list', async () => {
  await fc.assert(
    fc.asyncProperty(keys, keys, async (first, second) => {
      const objects = await merged(first, second)
      const all = [...new Set([...first, ...second])].sort()
      expect(objects.map(({ key }) => key)).toEqual(all)
      for (const { key, modifiedAt } of objects) {
        expect(modifiedAt.getTime()).toBe(first.includes(key) ? 1 : 2)
      }
    }),
  )
})

it.each([
  [[], []],
  [['a'], []],
  [[], ['a']],
  [['a'], ['a']],
])('merges %j and %j', async (first, second) => {
  expect((await merged(first, second)).map(({ key }) => key)).toEqual([
    ...new Set([...first, ...second]),
  ])
})

it('an error in either list is thrown instead of ending the merged list', async () => {
  async function* broken(): AsyncGenerator<StoredObject, void> {
    yield* side(['a'], 1)
    throw new Error('the disk is away')
  }
  const whole = () => listing(side(['b', 'c'], 2))
  await expect(allOf(inKeyOrder(broken(), whole()))).rejects.toThrow('the disk is away')
  await expect(allOf(inKeyOrder(whole(), broken()))).rejects.toThrow('the disk is away')
})
