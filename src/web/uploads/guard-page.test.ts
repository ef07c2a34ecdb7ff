import { expect, test } from 'vitest'
import { guardPage, isGuarded } from './guard-page.ts'

test('the page is guarded until every guard is released', () => {
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
