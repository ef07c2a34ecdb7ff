import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { browserConnection, wait, waitOrReconnect, watchUnload } from './connection.ts'

const reason = new Error('Cancelled by user')
let controller: AbortController
let isOnline: boolean

beforeEach(() => {
  vi.useFakeTimers()
  controller = new AbortController()
  isOnline = true
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('navigator', {
    get onLine() {
      return isOnline
    },
  })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Records how a promise settled and how many milliseconds that took (null while pending). */
function recordOutcome(promise: Promise<void>) {
  const start = Date.now()
  const outcome: { after: number | null; error: unknown } = { after: null, error: null }
  const settle = (error: unknown = null) =>
    Object.assign(outcome, { after: Date.now() - start, error })
  promise.then(() => settle(), settle)
  return outcome
}
function goOnline() {
  isOnline = true
  window.dispatchEvent(new Event('online'))
}

describe.each([
  ['wait', wait],
  ['waitOrReconnect', waitOrReconnect],
])('%s', (_, waitFor) => {
  test('resolves after the given time', async () => {
    const outcome = recordOutcome(waitFor(3000, controller.signal))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(outcome).toEqual({ after: 3000, error: null })
  })

  test("rejects with the signal's reason, even if it is already aborted", async () => {
    const outcome = recordOutcome(waitFor(3000, controller.signal))
    await vi.advanceTimersByTimeAsync(1000)
    controller.abort(reason)
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome).toEqual({ after: 1000, error: reason })
    await expect(waitFor(3000, controller.signal)).rejects.toBe(reason)
  })
})

test('only waitOrReconnect ends early when the browser comes back online', async () => {
  const [ended, whole] = [
    recordOutcome(waitOrReconnect(3000, controller.signal)),
    recordOutcome(wait(3000, controller.signal)),
  ]
  await vi.advanceTimersByTimeAsync(1000)
  goOnline()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([ended.after, whole.after]).toEqual([1000, 3000])
})

describe('waiting for the connection', () => {
  test('ends immediately if the browser is online', async () => {
    const outcome = recordOutcome(browserConnection.waitUntilOnline(controller.signal))
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome.after).toBe(0)
  })

  test('ends when an offline browser reconnects, or after 30 s', async () => {
    isOnline = false
    const [first, second] = [1, 2].map(() =>
      recordOutcome(browserConnection.waitUntilOnline(controller.signal)),
    )
    await vi.advanceTimersByTimeAsync(5000)
    expect(first?.after).toBeNull()
    goOnline()
    await vi.advanceTimersByTimeAsync(0)
    expect([first?.after, second?.after]).toEqual([5000, 5000])
    isOnline = false
    const neverAborted = recordOutcome(browserConnection.waitUntilOnline(controller.signal))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(neverAborted.after).toBe(30_000)
  })
})

test('waiting while the page unloads ends a minute after the last beforeunload', async () => {
  const waitWhileUnloading = watchUnload()
  await waitWhileUnloading(controller.signal)
  window.dispatchEvent(new Event('beforeunload'))
  await vi.advanceTimersByTimeAsync(10_000)
  const outcome = recordOutcome(waitWhileUnloading(controller.signal))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(outcome).toEqual({ after: 50_000, error: null })
  await waitWhileUnloading(controller.signal)
})
