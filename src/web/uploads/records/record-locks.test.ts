import { expect, test } from 'vitest'
import { createRecordLocks } from './record-locks.ts'

/** Simulates a tab that can claim records, using Node's Web Locks. */
function openTab() {
  const lostIds: string[] = []
  const locks = createRecordLocks(navigator.locks)
  const claim = (id: string, steal = false) =>
    locks.claim(id, { steal, onLost: () => lostIds.push(id) })
  return { claim, held: locks.lockedIds, lost: lostIds }
}

test('only one tab at a time can claim a record', async () => {
  const [one, other] = [openTab(), openTab()]
  const release = await one.claim('released')
  expect(await other.claim('released')).toBeNull()
  expect((await other.held()).has('released')).toBe(true)
  release?.()
  await expect.poll(async () => (await other.held()).has('released')).toBe(false)
  expect(await other.claim('released')).not.toBeNull()
  expect(one.lost).toEqual([])
})

test('a tab that steals a record notifies the tab that held it', async () => {
  const [one, other] = [openTab(), openTab()]
  await one.claim('stolen')
  expect(await other.claim('stolen', true)).not.toBeNull()
  await expect.poll(() => one.lost).toEqual(['stolen'])
  expect(other.lost).toEqual([])
})

test.each([
  ['has no Web Locks', undefined],
  [
    'denies them, as in a sandbox',
    {
      request: () => Promise.reject(new DOMException('', 'SecurityError')),
      query: () => Promise.reject(new DOMException('', 'SecurityError')),
    },
  ],
])('if the browser %s, every claim succeeds and nothing counts as locked', async (_, manager) => {
  const locks = createRecordLocks(manager)
  for (let tab = 0; tab < 2; tab += 1) {
    expect(await locks.claim('a', { onLost: () => undefined })).not.toBeNull()
  }
  expect(await locks.lockedIds()).toEqual(new Set())
})
