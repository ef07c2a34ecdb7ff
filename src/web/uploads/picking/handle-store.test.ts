import { expect, test } from 'vitest'
import { createBrowserHandleStore, createHandleStore, type HandleTable } from './handle-store.ts'

function makeHandle(name: string): FileSystemFileHandle {
  const handle: Partial<FileSystemFileHandle> = { kind: 'file', name }
  return handle as FileSystemFileHandle
}

function createTable() {
  const rows = new Map<string, FileSystemFileHandle>()
  const table: HandleTable = {
    get: async (id) => rows.get(id),
    set: async (id, handle) => void rows.set(id, handle),
    delete: async (ids) => {
      for (const id of ids) rows.delete(id)
    },
    ids: async () => [...rows.keys()],
  }
  return { table, rows }
}

test('a handle is stored by record ID until it is removed', async () => {
  const { table } = createTable()
  const video = makeHandle('video.mp4')
  await createHandleStore(table).save('1', video)
  // A second store on the same table simulates a reload.
  const store = createHandleStore(table)
  expect(await store.get('1')).toBe(video)
  expect(await store.get('2')).toBeUndefined()
  await store.remove('1')
  expect(await store.get('1')).toBeUndefined()
})

test('handles without a record are removed', async () => {
  const { table, rows } = createTable()
  const store = createHandleStore(table)
  for (const id of ['1', '2', '3']) await store.save(id, makeHandle(id))
  await store.removeAllExcept(['2', '9'])
  expect([...rows.keys()]).toEqual(['2'])
  await store.removeAllExcept([])
  expect(rows.size).toBe(0)
})

test('without storage, no handle is found and no call fails', async () => {
  const fail = async () => {
    throw new DOMException('no room', 'QuotaExceededError')
  }
  const stores = [
    createHandleStore({ get: fail, set: fail, delete: fail, ids: fail }),
    // Node has no IndexedDB.
    createBrowserHandleStore(),
  ]
  for (const store of stores) {
    await store.save('1', makeHandle('a'))
    await store.remove('1')
    await store.removeAllExcept([])
    expect(await store.get('1')).toBeUndefined()
  }
})
