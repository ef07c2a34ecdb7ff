import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { wait, waitOrReconnect, watchUnload } from './connection.ts'

const reason = new Error('Cancelled by user')
let controller: AbortController

beforeEach(() => {
  vi.useFakeTimers()
  controller = new AbortController()
  vi.stubGlobal('window', new EventTarget())
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
  window.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect([ended.after, whole.after]).toEqual([1000, 3000])
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
