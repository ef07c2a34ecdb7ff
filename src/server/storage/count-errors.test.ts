import { expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { countErrors } from './count-errors.ts'
import { SizeMismatch, type Storage } from './storage.ts'

/** A store whose operations all reject with `error`, also when called through `withOrigin`. */
function failingStore(error: Error): Storage {
  const reject = () => Promise.reject(error)
  const store = { name: 'disk', storedSize: reject, seal: reject, withOrigin: () => store }
  return store as unknown as Storage
}

it.each([
  ['a disk error', new Error('EIO'), ['storedSize', 'seal']],
  ['an unavailable bucket', new AppError('UNAVAILABLE'), ['storedSize', 'seal']],
  ['a size mismatch', new SizeMismatch(1, 2), []],
  ['a full disk', new AppError('STORAGE_FULL'), []],
  ['a missing object', new AppError('LINK_NOT_FOUND'), []],
])('counts only failures of the store itself: %s', async (_, error, expected) => {
  const operations: string[] = []
  const store = countErrors(failingStore(error), (operation) => operations.push(operation))
  await expect(store.storedSize('key')).rejects.toBe(error)
  await expect(store.withOrigin?.('http://elsewhere').seal('key', 1)).rejects.toBe(error)
  expect(operations).toEqual(expected)
})

it('passes other properties through', async () => {
  const store = { name: 's3', storedSize: async () => 7, hasVersioning: undefined }
  const countingStore = countErrors(store as unknown as Storage, () => expect.unreachable())
  expect(countingStore.name).toBe('s3')
  expect(await countingStore.storedSize('key')).toBe(7)
  expect(countingStore.hasVersioning).toBeUndefined()
})

it('lists the objects of a store with private fields', async () => {
  class PrivateStore {
    readonly #objects = [{ key: 'key', modifiedAt: new Date(0) }]
    async *list() {
      yield* this.#objects
    }
  }
  const store = new PrivateStore() as unknown as Storage
  const keys: string[] = []
  for await (const { key } of countErrors(store, () => expect.unreachable()).list()) keys.push(key)
  expect(keys).toEqual(['key'])
})
