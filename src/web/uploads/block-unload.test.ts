import { expect, test } from 'vitest'
import { blockUnload, isUnloadBlocked } from './block-unload.ts'

test('unloading is blocked until every blocker is released', () => {
  const page = new EventTarget()
  expect(isUnloadBlocked(page)).toBe(false)
  const releaseFunctions = [blockUnload(page), blockUnload(page)]
  expect(isUnloadBlocked(page)).toBe(true)
  releaseFunctions[0]?.()
  expect(isUnloadBlocked(page)).toBe(true)
  releaseFunctions[1]?.()
  releaseFunctions[1]?.()
  expect(isUnloadBlocked(page)).toBe(false)
})
