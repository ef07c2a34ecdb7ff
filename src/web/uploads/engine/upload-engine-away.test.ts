import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type EngineWorld,
  openEngineWorld,
  pass,
  refused,
} from '../../../../tests/support/engine-world.ts'
import { fileNamed } from '../../../../tests/support/upload-facts.ts'
import { errorTable } from '../../../shared/contract/errors.ts'
import { longestWaitMs, uploadLimit } from '../transfer/retry-policy.ts'
import { createSendFile } from '../transfer/send-file.ts'
import type { StorageAnswer } from '../transfer/storage-request.ts'

const minute = 60_000
const stored: StorageAnswer = {
  kind: 'answer',
  status: 200,
  code: null,
  uploadOffset: null,
  retryAfterMs: null,
}
function drop() {
  return ['a.txt', 'b.txt', 'c.txt'].map((name) => fileNamed(name))
}
const allStored = ['a.txt completed', 'b.txt completed', 'c.txt completed']

let world: EngineWorld
/** How the server answers a request that sends bytes. */
let onRequest: (method: string) => StorageAnswer

beforeEach(() => {
  world = openEngineWorld()
  onRequest = () => stored
  const { deps } = world
  deps.sendFile = createSendFile({
    ...deps,
    send: async ({ method }) => onRequest(method),
    signParts: async () => refused(null),
    waitWhileLeaving: async () => undefined,
    checksums: { part: async () => null },
  })
  world.openFor('ada')
})
afterEach(() => world.close())

describe('a server that is away for ten minutes', () => {
  /**
   * Makes the server unreachable. `status` is the answer of a proxy in front of it; null for no
   * answer at all. Returns a function that brings the server back.
   */
  const goAway = (status: number | null) => {
    world.isServerReady = false
    world.onStart = () => refused(status)
    world.onConfirm = () => refused(status)
    onRequest = () => (status === null ? { kind: 'network' } : { ...stored, status })
    return () => {
      world.isServerReady = true
      world.onStart = () => null
      world.onConfirm = () => null
      onRequest = () => stored
    }
  }

  test.each([null, 502, 503])('before any of three files began ends none (%s)', async (status) => {
    const comeBack = goAway(status)
    world.add(drop())
    await pass(10 * minute)
    expect(world.shown()).toEqual(['a.txt pending', 'b.txt pending', 'c.txt pending'])
    const interrupted = status === null ? 'no-answer' : 'not-ready'
    expect(world.state().live).toMatchObject({ '000001': { interrupted } })
    comeBack()
    await pass(longestWaitMs + minute)
    expect(world.shown()).toEqual(allStored)
    expect(world.toasts.filter(({ title }) => title.includes('Failed'))).toEqual([])
  })

  test.each([null, 502, 503])('while bytes travel ends none (%s)', async (status) => {
    let comeBack = () => {}
    onRequest = () => {
      comeBack = goAway(status)
      return { kind: 'network' }
    }
    world.add(drop())
    await pass(10 * minute)
    expect(world.shown()).toEqual(['a.txt uploading', 'b.txt pending', 'c.txt pending'])
    const interrupted = status === null ? 'no-answer' : 'not-ready'
    expect(world.state().live).toMatchObject({ '000001': { interrupted } })
    comeBack()
    await pass(longestWaitMs + minute)
    expect(world.shown()).toEqual(allStored)
  })

  test.each([null, 502, 503])('while a file is confirmed ends none (%s)', async (status) => {
    let comeBack = () => {}
    world.onConfirm = (nth) => {
      if (nth === 1) comeBack = goAway(status)
      return refused(status)
    }
    world.add(drop())
    await pass(10 * minute)
    expect(world.shown()).toEqual(['a.txt uploading', 'b.txt pending', 'c.txt pending'])
    comeBack()
    await pass(longestWaitMs + minute)
    expect(world.shown()).toEqual(allStored)
  })

  test('lets what is cancelled go at once', async () => {
    goAway(null)
    const [first = ''] = world.add(drop())
    await pass(10 * minute)
    await world.engine.cancel(first)
    await pass(2000)
    expect(world.shown()).toEqual(['b.txt pending', 'c.txt pending'])
  })
})

describe('a full disk of the server', () => {
  const full = { ...stored, status: 503, code: 'DISK_FULL', retryAfterMs: minute }

  test('is told and waited for; what is cancelled ends, the rest goes on once there is room', async () => {
    onRequest = () => full
    world.isServerReady = false
    const [first = ''] = world.add(drop())
    await pass(60 * minute)
    expect(world.shown()).toEqual(['a.txt uploading', 'b.txt pending', 'c.txt pending'])
    expect(world.state().live).toMatchObject({ '000001': { interrupted: 'disk-full' } })
    await world.engine.cancel(first)
    await pass(2000)
    expect(world.state().live).toMatchObject({ '000002': { interrupted: 'disk-full' } })
    world.isServerReady = true
    onRequest = () => stored
    await pass(2 * minute)
    expect(world.shown()).toEqual(allStored.slice(1))
  })

  test('fails a file, and says what to do, when the server has room for others', async () => {
    onRequest = () => full
    world.add(drop().slice(0, 1))
    await pass(uploadLimit.maxTries * 2 * minute)
    expect(world.state().records).toMatchObject([
      { status: 'failed', error: errorTable.DISK_FULL.message },
    ])
  })
})

test('a PUT that alone is blocked fails its file after its last try, with its text', async () => {
  onRequest = () => ({ kind: 'network' })
  world.add(drop().slice(0, 1))
  await pass(uploadLimit.maxTries * longestWaitMs)
  expect(world.state().records).toMatchObject([
    { status: 'failed', error: 'Network error during upload' },
  ])
})

test('a server that is there and answers no start lets it fail as before', async () => {
  world.onStart = () => refused(503)
  world.add(drop().slice(0, 1))
  await pass(uploadLimit.maxTries * longestWaitMs)
  expect(world.shown()).toEqual(['a.txt failed'])
})
