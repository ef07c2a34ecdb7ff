import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile } from '../../../../tests/support/upload-fixtures.ts'
import { errorTable } from '../../../shared/contract/errors.ts'
import { maxAttempts, maxWaitMs } from '../transfer/retry-policy.ts'
import { createSendFile } from '../transfer/send-file.ts'
import type { StorageResponse } from '../transfer/storage-request.ts'

const minute = 60_000
const storedResponse: StorageResponse = {
  kind: 'response',
  status: 200,
  code: null,
  uploadOffset: null,
  retryAfterMs: null,
}
function makeThreeFiles() {
  return ['a.txt', 'b.txt', 'c.txt'].map((name) => fakeFile(name))
}
const allCompleted = ['a.txt completed', 'b.txt completed', 'c.txt completed']

let world: EngineWorld
/** Returns the response to a request that sends bytes. */
let respond: (method: string) => StorageResponse

beforeEach(() => {
  world = openEngineWorld()
  respond = () => storedResponse
  const { deps } = world
  deps.sendFile = createSendFile({
    ...deps,
    send: async ({ method }) => respond(method),
    signParts: async () => failedOutcome(null),
    waitWhileUnloading: async () => undefined,
    checksums: { part: async () => null },
  })
  world.openAsUser('ada')
})
afterEach(() => world.close())

describe('a ten-minute server outage', () => {
  /**
   * Makes the server unreachable. `status` is the status that a proxy responds with, or null for no
   * response. Returns a function that restores the server.
   */
  const stopServer = (status: number | null) => {
    world.isServerReady = false
    world.onStart = () => failedOutcome(status)
    world.onConfirm = () => failedOutcome(status)
    respond = () => (status === null ? { kind: 'network' } : { ...storedResponse, status })
    return () => {
      world.isServerReady = true
      world.onStart = () => null
      world.onConfirm = () => null
      respond = () => storedResponse
    }
  }

  test.each([null, 502, 503])('before the first start fails no upload (%s)', async (status) => {
    const restoreServer = stopServer(status)
    world.add(makeThreeFiles())
    await advanceTime(10 * minute)
    expect(world.statuses()).toEqual(['a.txt pending', 'b.txt pending', 'c.txt pending'])
    const interruption = status === null ? 'no-response' : 'not-ready'
    expect(world.state().activity).toMatchObject({ '000001': { interruption } })
    restoreServer()
    await advanceTime(maxWaitMs + minute)
    expect(world.statuses()).toEqual(allCompleted)
    expect(world.toasts.filter(({ title }) => title.includes('Failed'))).toEqual([])
  })

  test.each([null, 502, 503])('during a transfer fails no upload (%s)', async (status) => {
    let restoreServer = () => {}
    respond = () => {
      restoreServer = stopServer(status)
      return { kind: 'network' }
    }
    world.add(makeThreeFiles())
    await advanceTime(10 * minute)
    expect(world.statuses()).toEqual(['a.txt uploading', 'b.txt pending', 'c.txt pending'])
    const interruption = status === null ? 'no-response' : 'not-ready'
    expect(world.state().activity).toMatchObject({ '000001': { interruption } })
    restoreServer()
    await advanceTime(maxWaitMs + minute)
    expect(world.statuses()).toEqual(allCompleted)
  })

  test.each([null, 502, 503])('during a confirm call fails no upload (%s)', async (status) => {
    let restoreServer = () => {}
    world.onConfirm = (attempt) => {
      if (attempt === 1) restoreServer = stopServer(status)
      return failedOutcome(status)
    }
    world.add(makeThreeFiles())
    await advanceTime(10 * minute)
    expect(world.statuses()).toEqual(['a.txt uploading', 'b.txt pending', 'c.txt pending'])
    restoreServer()
    await advanceTime(maxWaitMs + minute)
    expect(world.statuses()).toEqual(allCompleted)
  })

  test("doesn't delay a cancellation", async () => {
    stopServer(null)
    const [firstId = ''] = world.add(makeThreeFiles())
    await advanceTime(10 * minute)
    await world.engine.cancel(firstId)
    await advanceTime(2000)
    expect(world.statuses()).toEqual(['b.txt pending', 'c.txt pending'])
  })
})

describe('a full server disk', () => {
  const diskFullResponse = {
    ...storedResponse,
    status: 503,
    code: 'DISK_FULL',
    retryAfterMs: minute,
  }

  test('is shown while uploads wait, and all but cancelled ones continue once space is free', async () => {
    respond = () => diskFullResponse
    world.isServerReady = false
    const [firstId = ''] = world.add(makeThreeFiles())
    await advanceTime(60 * minute)
    expect(world.statuses()).toEqual(['a.txt uploading', 'b.txt pending', 'c.txt pending'])
    expect(world.state().activity).toMatchObject({ '000001': { interruption: 'disk-full' } })
    await world.engine.cancel(firstId)
    await advanceTime(2000)
    expect(world.state().activity).toMatchObject({ '000002': { interruption: 'disk-full' } })
    world.isServerReady = true
    respond = () => storedResponse
    await advanceTime(2 * minute)
    expect(world.statuses()).toEqual(allCompleted.slice(1))
  })

  test('fails the file with an explanation if other requests succeed', async () => {
    respond = () => diskFullResponse
    world.add(makeThreeFiles().slice(0, 1))
    await advanceTime(maxAttempts * 2 * minute)
    expect(world.state().records).toMatchObject([
      { status: 'failed', error: errorTable.DISK_FULL.message },
    ])
  })
})

test('a PUT that never gets through fails with a network error after the last attempt', async () => {
  respond = () => ({ kind: 'network' })
  world.add(makeThreeFiles().slice(0, 1))
  await advanceTime(maxAttempts * maxWaitMs)
  expect(world.state().records).toMatchObject([
    { status: 'failed', error: 'Network error during upload' },
  ])
})

test('a reachable server that keeps rejecting the start of an upload fails the file', async () => {
  world.onStart = () => failedOutcome(503)
  world.add(makeThreeFiles().slice(0, 1))
  await advanceTime(maxAttempts * maxWaitMs)
  expect(world.statuses()).toEqual(['a.txt failed'])
})
