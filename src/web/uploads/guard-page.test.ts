import { expect, test } from 'vitest'
import { guardPage, isGuarded } from './guard-page.ts'

test('who leaves is asked until nothing would be lost, and by each who asks for it', () => {
  const page = new EventTarget()
  expect(isGuarded(page)).toBe(false)
  const releases = [guardPage(page), guardPage(page)]
  expect(isGuarded(page)).toBe(true)
  releases[0]?.()
  expect(isGuarded(page)).toBe(true)
  releases[1]?.()
  releases[1]?.()
  expect(isGuarded(page)).toBe(false)
})
