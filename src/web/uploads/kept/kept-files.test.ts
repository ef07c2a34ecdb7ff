import { describe, expect, it } from 'vitest'
import { createMemoryKeptFileTable } from '../../../../tests/support/browser-memory.ts'
import { browserFileRetentionMs } from '../../../shared/rules/files/retention.ts'
import { createKeptFiles, type KeptFiles, type KeptFileTable, maxKeptFiles } from './kept-files.ts'

function makeFiles(...names: string[]): File[] {
  return names.map((name) => new File(['x'], name))
}

/** Creates an in-memory store with a settable clock. */
function createStore(table: Partial<KeptFileTable> = {}) {
  let time = 1_000_000
  const store = createKeptFiles({ ...createMemoryKeptFileTable(), ...table }, () => time)
  return {
    ...store,
    advance: (ms: number) => {
      time += ms
    },
  }
}

async function listNames(store: KeptFiles) {
  return (await store.list()).map(({ file }) => file.name)
}

describe('kept files', () => {
  it('are listed in the order they were added', async () => {
    const store = createStore()
    await store.keep(makeFiles('b', 'a'))
    store.advance(1)
    await store.keep(makeFiles('c'))
    expect(await listNames(store)).toEqual(['b', 'a', 'c'])
  })

  it('can be removed, and expire after a day', async () => {
    const store = createStore()
    await store.keep(makeFiles('one', 'two'))
    const [one] = await store.list()
    await store.remove([one?.id ?? ''])
    expect(await listNames(store)).toEqual(['two'])
    store.advance(browserFileRetentionMs - 1)
    expect(await listNames(store)).toEqual(['two'])
    store.advance(1)
    expect(await listNames(store)).toEqual([])
  })

  it('are limited in number', async () => {
    const store = createStore()
    await store.keep(Array.from({ length: maxKeptFiles - 2 }, () => new File([], 'a')))
    expect(await store.keep(makeFiles('one', 'two', 'three'))).toBe('count')
    expect(await store.keep(makeFiles('one', 'two'))).toBeNull()
    expect(await store.list()).toHaveLength(maxKeptFiles)
  })

  it.each([
    ['space', Object.assign(new Error('full'), { name: 'QuotaExceededError' })],
    ['unsupported', new Error('InvalidState')],
  ])('are rejected as a whole: %s', async (reason, error) => {
    const store = createStore({ add: () => Promise.reject(error) })
    expect(await store.keep(makeFiles('one', 'two'))).toBe(reason)
    expect(await listNames(store)).toEqual([])
  })
})

it("a browser without IndexedDB keeps nothing and doesn't fail", async () => {
  const alwaysReject = () => Promise.reject(new Error('no IndexedDB'))
  const store = createKeptFiles(
    { add: alwaysReject, all: alwaysReject, remove: alwaysReject },
    () => 0,
  )
  expect(await store.list()).toEqual([])
  await store.remove(['id'])
  expect(await store.keep(makeFiles('one'))).toBe('unsupported')
})
