import { expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { keepScreenOn } from './keep-screen-on.ts'

/** Creates a fake screen. As in browsers, hiding the page releases its wake locks. */
function createScreen() {
  const page = Object.assign(new EventTarget(), {
    visibilityState: 'visible' as DocumentVisibilityState,
  })
  const heldLocks = new Set<object>()
  let requestCount = 0
  let isDenied = false
  const show = (visibilityState: DocumentVisibilityState) => {
    page.visibilityState = visibilityState
    if (visibilityState === 'hidden') heldLocks.clear()
    page.dispatchEvent(new Event('visibilitychange'))
  }
  const request = async () => {
    requestCount += 1
    await Promise.resolve()
    if (isDenied) throw new DOMException('low battery', 'NotAllowedError')
    const lock = { release: async () => void heldLocks.delete(lock) }
    heldLocks.add(lock)
    return lock
  }
  return {
    screen: { wakeLock: { request }, document: page },
    heldLocks,
    show,
    requestCount: () => requestCount,
    deny: (shouldDeny: boolean) => {
      isDenied = shouldDeny
    },
  }
}

test('the screen stays on until the wake lock is released', async () => {
  const { screen, heldLocks } = createScreen()
  const release = keepScreenOn(screen)
  await eventually(() => expect(heldLocks.size).toBe(1))
  release()
  await eventually(() => expect(heldLocks.size).toBe(0))
})

test('the lock is requested again when the page becomes visible, but not after the release', async () => {
  const { screen, heldLocks, show, requestCount } = createScreen()
  const release = keepScreenOn(screen)
  await eventually(() => expect(heldLocks.size).toBe(1))
  show('hidden')
  expect(heldLocks.size).toBe(0)
  show('visible')
  await eventually(() => expect(heldLocks.size).toBe(1))
  release()
  await eventually(() => expect(heldLocks.size).toBe(0))
  show('hidden')
  show('visible')
  expect(requestCount()).toBe(2)
})

test('a hidden page requests the lock once it is visible', async () => {
  const { screen, heldLocks, show, requestCount } = createScreen()
  show('hidden')
  keepScreenOn(screen)
  expect(requestCount()).toBe(0)
  show('visible')
  await eventually(() => expect(heldLocks.size).toBe(1))
})

test('a lock granted after the release is released immediately', async () => {
  const { screen, heldLocks, requestCount } = createScreen()
  keepScreenOn(screen)()
  expect(requestCount()).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(heldLocks.size).toBe(0)
})

test('a denied or unsupported lock is ignored', async () => {
  const { screen, heldLocks, show, deny, requestCount } = createScreen()
  keepScreenOn({ ...screen, wakeLock: undefined })()
  deny(true)
  keepScreenOn(screen)
  await eventually(() => expect(requestCount()).toBe(1))
  deny(false)
  show('visible')
  await eventually(() => expect(heldLocks.size).toBe(1))
})
