import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mergeByKey } from './merge-by-key.ts'
import type { StoredObject } from './storage.ts'

async function* asListing(objects: readonly StoredObject[]): AsyncGenerator<StoredObject, void> {
  yield* objects
}

/** Creates a sorted list of objects with these keys, all with the same date. */
function objectsOf(keys: Iterable<string>, date: number): StoredObject[] {
  return [...keys].sort().map((key) => ({ key, modifiedAt: new Date(date) }))
}

async function collect(objects: AsyncIterable<StoredObject>): Promise<StoredObject[]> {
  const all: StoredObject[] = []
  for await (const object of objects) all.push(object)
  return all
}

async function mergeKeys(
  first: Iterable<string>,
  second: Iterable<string>,
): Promise<StoredObject[]> {
  return collect(mergeByKey(asListing(objectsOf(first, 1)), asListing(objectsOf(second, 2))))
}

const keys = fc.uniqueArray(fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', 'z') }))

it('lists each object once in key order, preferring the first list', async () => {
  await fc.assert(
    fc.asyncProperty(keys, keys, async (first, second) => {
      const objects = await mergeKeys(first, second)
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
  expect((await mergeKeys(first, second)).map(({ key }) => key)).toEqual([
    ...new Set([...first, ...second]),
  ])
})

it('an error in either list is thrown instead of ending the merged list', async () => {
  async function* failingListing(): AsyncGenerator<StoredObject, void> {
    yield* objectsOf(['a'], 1)
    throw new Error('the disk is away')
  }
  const completeListing = () => asListing(objectsOf(['b', 'c'], 2))
  await expect(collect(mergeByKey(failingListing(), completeListing()))).rejects.toThrow(
    'the disk is away',
  )
  await expect(collect(mergeByKey(completeListing(), failingListing()))).rejects.toThrow(
    'the disk is away',
  )
})
