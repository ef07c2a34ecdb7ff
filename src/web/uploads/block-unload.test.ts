import { expect, test } from 'vitest'
import { blockUnload, isUnloadBlocked } from './block-unload.ts'

test('unloading is blocked until every blocker is released', () => {
  const page = new EventTarget()
  expect(isUnloadBlocked(page)).toBe(false)
  const releases = [blockUnload(page), blockUnload(page)]
  expect(isUnloadBlocked(page)).toBe(true)
  releases[0]?.()
  expect(isUnloadBlocked(page)).toBe(true)
  releases[1]?.()
  releases[1]?.()
  expect(isUnloadBlocked(page)).toBe(false)
})
