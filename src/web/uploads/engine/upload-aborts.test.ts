import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../../tests/support/browser-memory.ts'
import { refusal } from '../../../../tests/support/upload-facts.ts'
import { expectGrowingWaits } from '../../../../tests/support/waits.ts'
import { browserTimers } from '../timers.ts'
import { wait } from '../transfer/connection.ts'
import { firstWaitMs, longestWaitMs } from '../transfer/retry-policy.ts'
import type { Outcome } from '../upload-errors.ts'
import { createAborts, type UploadAborts } from './upload-aborts.ts'

let values: Map<string, string>
let asked: string[]
let answer: Outcome<unknown>
let isForbidden: boolean
const opened: UploadAborts[] = []

function open(ownerId = 'ada') {
  const aborts = createAborts(ownerId, {
    abortUpload: async (cloudKey) => {
      asked.push(cloudKey)
      return answer
    },
    storage: () => {
      if (isForbidden) throw new DOMException('', 'SecurityError')
      return memoryStorage(values)
    },
    connection: { isOnline: () => true, untilOnline: async () => undefined },
    timers: browserTimers,
    wait,
    random: () => 0,
    isServerReady: () => Promise.reject(new Error('nobody waits for the server here')),
  })
  opened.push(aborts)
  return aborts
}
const done: Outcome<unknown> = { ok: true, value: null }
function refused(...of: Parameters<typeof refusal>): Outcome<unknown> {
  return {
    ok: false,
    refusal: refusal(...of),
  }
}
function pass(ms: number) {
  return vi.advanceTimersByTimeAsync(ms)
}

beforeEach(() => {
  vi.useFakeTimers()
  values = new Map()
  asked = []
  answer = done
  isForbidden = false
})
afterEach(() => {
  for (const aborts of opened.splice(0)) aborts.close()
  vi.useRealTimers()
})

test.each([
  ['done', done],
  ['refused for good', refused(404)],
])('an abort that is %s is asked for once and forgotten', async (_, outcome) => {
  answer = outcome
  expect(await open().abort('key')).toBe(outcome)
  await pass(3_600_000)
  expect(asked).toEqual(['key'])
  expect(values.size).toBe(0)
})

test('one that gets no answer is asked for again, with growing waits, until it has one', async () => {
  answer = refused(503)
  const began = Date.now()
  await open().abort('key')
  await vi.advanceTimersToNextTimerAsync()
  expect(asked).toHaveLength(2)
  const again = Date.now()
  await vi.advanceTimersToNextTimerAsync()
  expect(asked).toHaveLength(3)
  expectGrowingWaits([again - began, Date.now() - again])
  expect(values.size).toBe(1)
  answer = done
  await vi.advanceTimersToNextTimerAsync()
  expect(asked).toHaveLength(4)
  expect(values.size).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('the next page of the same user goes on with it, and nobody else does', async () => {
  answer = refused(null)
  const page = open()
  await page.abort('key')
  page.close()
  await pass(2 * longestWaitMs)
  expect(asked).toEqual(['key'])
  answer = done
  open('bob').resume()
  await pass(0)
  expect(asked).toEqual(['key'])
  open().resume()
  await pass(0)
  expect(asked).toEqual(['key', 'key'])
  expect(values.size).toBe(0)
})

test('one that needs a sign-in waits for it, and is not asked for twice at once', async () => {
  answer = refused(401)
  const aborts = open()
  await aborts.abort('key')
  await pass(2 * longestWaitMs)
  expect(asked).toHaveLength(1)
  answer = done
  aborts.resume()
  aborts.resume()
  await pass(0)
  expect(asked).toHaveLength(2)
  expect(values.size).toBe(0)
})

test('where the browser keeps nothing this page alone asks', async () => {
  isForbidden = true
  answer = refused(null)
  const aborts = open()
  await aborts.abort('key')
  aborts.resume()
  answer = done
  await pass(firstWaitMs)
  expect(asked).toEqual(['key', 'key'])
})
