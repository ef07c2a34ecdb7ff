import { expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { keepScreenOn } from './keep-awake.ts'

/** Creates a fake screen. As in browsers, hiding the page releases its wake locks. */
function createScreen() {
  const page = Object.assign(new EventTarget(), {
    visibilityState: 'visible' as DocumentVisibilityState,
  })
  const held = new Set<object>()
  let asked = 0
  let refuses = false
  const show = (visibilityState: DocumentVisibilityState) => {
    page.visibilityState = visibilityState
    if (visibilityState === 'hidden') held.clear()
    page.dispatchEvent(new Event('visibilitychange'))
  }
  const request = async () => {
    asked += 1
    await Promise.resolve()
    if (refuses) throw new DOMException('low battery', 'NotAllowedError')
    const lock = { release: async () => void held.delete(lock) }
    held.add(lock)
    return lock
  }
  return {
    screen: { wakeLock: { request }, document: page },
    held,
    show,
    asked: () => asked,
    refuse: (refused: boolean) => {
      refuses = refused
    },
  }
}

test('the screen stays on until the wake lock is released', async () => {
  const { screen, held } = createScreen()
  const release = keepScreenOn(screen)
  await eventually(() => expect(held.size).toBe(1))
  release()
  await eventually(() => expect(held.size).toBe(0))
})

test('the lock is requested again when the page becomes visible, but not after the release', async () => {
  const { screen, held, show, asked } = createScreen()
  const release = keepScreenOn(screen)
  await eventually(() => expect(held.size).toBe(1))
  show('hidden')
  expect(held.size).toBe(0)
  show('visible')
  await eventually(() => expect(held.size).toBe(1))
  release()
  await eventually(() => expect(held.size).toBe(0))
  show('hidden')
  show('visible')
  expect(asked()).toBe(2)
})

test('a hidden page requests the lock once it is visible', async () => {
  const { screen, held, show, asked } = createScreen()
  show('hidden')
  keepScreenOn(screen)
  expect(asked()).toBe(0)
  show('visible')
  await eventually(() => expect(held.size).toBe(1))
})

test('a lock granted after the release is released immediately', async () => {
  const { screen, held, asked } = createScreen()
  keepScreenOn(screen)()
  expect(asked()).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(held.size).toBe(0)
})

test('a refused or unsupported lock is ignored', async () => {
  const { screen, held, show, refuse, asked } = createScreen()
  keepScreenOn({ ...screen, wakeLock: undefined })()
  refuse(true)
  keepScreenOn(screen)
  await eventually(() => expect(asked()).toBe(1))
  refuse(false)
  show('visible')
  await eventually(() => expect(held.size).toBe(1))
})
