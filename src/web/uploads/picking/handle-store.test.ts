import { expect, test } from 'vitest'
import { createBrowserHandleStore } from './handle-store.ts'

test('without storage, no handle is found and no call fails', async () => {
  // Node has no IndexedDB.
  const store = createBrowserHandleStore()
  const handle: Partial<FileSystemFileHandle> = { kind: 'file', name: 'a' }
  await store.save('1', handle as FileSystemFileHandle)
  await store.remove('1')
  await store.removeAllExcept([])
  expect(await store.get('1')).toBeUndefined()
})
