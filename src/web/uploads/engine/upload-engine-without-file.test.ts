import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile, handleFor, tierFullMessage } from '../../../../tests/support/upload-fixtures.ts'
import { firstWaitMs, maxWaitMs } from '../transfer/retry-policy.ts'
import type { Outcome } from '../upload-errors.ts'
import { type StoredPart, TransferError } from '../upload-ports.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('an upload without its file', () => {
  const allStoredOutcome: Outcome<{ parts: StoredPart[] }> = {
    ok: true,
    value: { parts: [{ partNumber: 1, size: 30 }] },
  }
  /** Sends all of an upload's bytes and reloads the page before the confirm call returns. */
  const reloadBeforeConfirm = async () => {
    world.onConfirm = () => failedOutcome(null)
    world.add([fakeFile('a.txt', 30)])
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'uploading', progress: 100 }])
    world.reload()
    world.log.length = 0
    world.onConfirm = () => null
  }

  test.each([
    ['all bytes are stored', () => allStoredOutcome],
    ['it is already confirmed', () => failedOutcome(404)],
  ])('is confirmed automatically after 5 s if %s', async (_, onList) => {
    await reloadBeforeConfirm()
    world.onList = onList
    await advanceTime(4900)
    expect(world.state().records).toMatchObject([{ status: 'paused', need: null }])
    await advanceTime(1200)
    expect(world.statuses()).toEqual(['a.txt completed'])
    expect(world.log.filter((line) => line.startsWith('send'))).toEqual([])
    expect(world.confirmations.at(-1)?.sha256).toBeUndefined()
  })

  test('asks for the file if only part of it is stored', async () => {
    await reloadBeforeConfirm()
    world.onList = () => ({ ok: true, value: { parts: [{ partNumber: 1, size: 20 }] } })
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'paused', need: 'file' }])
    await advanceTime(60_000)
    expect(world.log).toEqual(['list key of a.txt'])
  })

  test('asks for the file if the server knows neither the upload nor the file', async () => {
    await reloadBeforeConfirm()
    world.onList = () => failedOutcome(404)
    world.onConfirm = () => failedOutcome(404)
    await advanceTime(6100)
    expect(world.state().records).toMatchObject([{ status: 'paused', need: 'file' }])
  })

  test('is confirmed without sending when a rejected confirm call is retried', async () => {
    world.onConfirm = () => failedOutcome(403, 'TIER_FILE_COUNT', tierFullMessage)
    const [id = ''] = world.add([fakeFile('a.txt', 30)])
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt failed'])
    world.reload()
    world.onList = () => allStoredOutcome
    world.onConfirm = () => null
    await world.engine.resume(id)
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt completed'])
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(1)
  })

  test('asks for the file when it is retried after a read error', async () => {
    world.onSend = () => {
      throw new TransferError('unreadable')
    }
    const file = fakeFile('a.txt')
    const [id = ''] = world.add([{ file, handle: handleFor(file) }])
    await advanceTime(1000)
    expect(world.statuses()).toEqual(['a.txt failed'])
    await world.engine.resume(id)
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'paused', need: 'file' }])
  })

  describe("while the server can't list the stored bytes", () => {
    const countListCalls = () => world.log.filter((line) => line.startsWith('list')).length
    const reloadDuringOutage = async (status: number | null) => {
      world.isServerReady = false
      world.onList = () => failedOutcome(status)
      await reloadBeforeConfirm()
    }

    test.each([null, 503])('asks for the file and stops polling (%s)', async (status) => {
      await reloadDuringOutage(status)
      await advanceTime(3 * maxWaitMs)
      expect(world.state().records).toMatchObject([{ status: 'paused', need: 'file' }])
      const listCallCount = countListCalls()
      await advanceTime(600_000)
      expect(countListCalls()).toBe(listCallCount)
    })

    test('continues once the file is provided, and stops polling the server', async () => {
      await reloadDuringOutage(503)
      await advanceTime(firstWaitMs - 1)
      world.onList = () => ({ ok: true, value: { parts: [] } })
      await world.engine.provideFile('000001', { file: fakeFile('a.txt', 30) })
      await advanceTime(0)
      expect(world.statuses()).toEqual(['a.txt completed'])
      const listCallCount = countListCalls()
      await advanceTime(600_000)
      expect(countListCalls()).toBe(listCallCount)
    })

    test('stops polling the server once it is cancelled', async () => {
      await reloadDuringOutage(503)
      await advanceTime(firstWaitMs - 1)
      await world.engine.cancel('000001')
      await advanceTime(600_000)
      expect(world.statuses()).toEqual([])
      expect(countListCalls()).toBe(1)
    })

    test('keeps a pasted upload paused and confirms it once the server responds', async () => {
      world.onConfirm = () => failedOutcome(null)
      world.add([{ file: fakeFile('a.txt', 30), isPasted: true }])
      await advanceTime(0)
      world.isServerReady = false
      world.onList = () => failedOutcome(503)
      world.reload()
      await advanceTime(600_000)
      expect(world.state().records).toMatchObject([{ status: 'paused', need: null }])
      world.onList = () => allStoredOutcome
      world.onConfirm = () => null
      await advanceTime(60_000)
      expect(world.statuses()).toEqual(['a.txt completed'])
    })
  })
})
