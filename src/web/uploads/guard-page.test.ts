import { expect, test } from 'vitest'
import { guardPage } from './guard-page.ts'

const isAsked = (page: EventTarget) =>
  !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('who leaves is asked until nothing would be lost, and by each who asks for it', () => {
  const page = new EventTarget()
  expect(isAsked(page)).toBe(false)
  const releases = [guardPage(page), guardPage(page)]
  expect(isAsked(page)).toBe(true)
  releases[0]?.()
  expect(isAsked(page)).toBe(true)
  releases[1]?.()
  releases[1]?.()
  expect(isAsked(page)).toBe(false)
})
