import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { expectGrowingDelays } from '../../../../tests/support/retry-delays.ts'
import { fakeFile, tierFullMessage } from '../../../../tests/support/upload-fixtures.ts'
import { errorTable } from '../../../shared/contract/errors.ts'
import { maxWaitMs } from '../transfer/retry-policy.ts'
import { TransferError } from '../upload-ports.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('a failed upload', () => {
  test("doesn't stop other uploads and can be retried", async () => {
    world.onStart = (name) => (name === 'a.txt' ? failedOutcome(500) : null)
    const [id = ''] = world.add([fakeFile('a.txt'), fakeFile('b.txt')])
    await advanceTime(1000)
    expect(world.toasts[0]).toEqual({
      title: 'Upload Error',
      description: 'Failed to get upload URL',
    })
    expect(world.state().outcome).toBe('1 of 2 files uploaded')
    expect(world.state().records[0]).toMatchObject({ error: 'Failed to get upload URL' })
    world.onStart = () => null
    await world.engine.resume(id)
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('is not retried automatically if the server is out of space', async () => {
    const { status, message } = errorTable.STORAGE_FULL
    world.onStart = (name) =>
      name === 'a.txt' ? failedOutcome(status, 'STORAGE_FULL', message) : null
    world.add([fakeFile('a.txt'), fakeFile('b.txt')])
    await advanceTime(1000)
    expect(world.toasts[0]).toEqual({ title: 'Upload Error', description: message })
    // The next file is still tried because it may fit.
    expect(world.statuses()).toEqual(['a.txt failed', 'b.txt completed'])
    await advanceTime(600_000)
    expect(world.requests.filter(({ fileName }) => fileName === 'a.txt')).toHaveLength(1)
  })

  test('shows an inline error and stops the remaining uploads if the tier is full', async () => {
    world.onStart = () => failedOutcome(403, 'TIER_FILE_COUNT', tierFullMessage)
    world.add([fakeFile('a.txt'), fakeFile('b.txt')])
    await advanceTime(1000)
    expect(world.toasts).toEqual([])
    expect(world.requests).toHaveLength(1)
    expect(world.state().inlineError).toBe(tierFullMessage)
    expect(world.statuses()).toEqual(['a.txt failed', 'b.txt failed'])
    world.engine.dismissInlineError()
    expect(world.state().inlineError).toBeNull()
  })

  test('continues from the stored bytes when it is retried', async () => {
    world.onSend = () => {
      throw new TransferError('network')
    }
    const [id = ''] = world.add([fakeFile('a.txt')])
    await advanceTime(0)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
    expect(world.toasts).toEqual([
      { title: 'Upload Failed', description: 'Network error during upload' },
    ])
    world.onSend = () => undefined
    await world.engine.resume(id)
    await advanceTime(0)
    expect(world.log.slice(2, 5)).toEqual([
      'list key of a.txt',
      'send key of a.txt again',
      'confirm key of a.txt',
    ])
  })

  test('frees its slot when it is cleared', async () => {
    world.onSend = () => {
      throw new TransferError('status', 400)
    }
    world.add([fakeFile('a.txt')])
    await advanceTime(0)
    world.engine.clear()
    await advanceTime(0)
    expect(world.log.at(-1)).toBe('abort key of a.txt')
    expect(world.state().records).toEqual([])
    await advanceTime(200)
    expect(world.savedRecords()).toEqual([])
  })
})

describe('an upload with a transient error', () => {
  test('retries an unanswered confirm call with increasing waits', async () => {
    const confirmTimes: number[] = []
    world.onConfirm = (count) => {
      confirmTimes.push(Date.now())
      return count < 3 ? failedOutcome(null) : null
    }
    world.add([fakeFile('a.txt')])
    await advanceTime(2 * maxWaitMs)
    const [first = 0, second = 0, third = 0] = confirmTimes
    expect(confirmTimes).toHaveLength(3)
    expectGrowingDelays([second - first, third - second])
    expect(world.statuses()).toEqual(['a.txt completed'])
  })

  test('retries a start rejected by a busy server until it fails for another reason', async () => {
    let attemptCount = 0
    world.onStart = () => {
      attemptCount += 1
      return attemptCount < 3 ? failedOutcome(503) : failedOutcome(500)
    }
    world.add([fakeFile('a.txt')])
    await advanceTime(2 * maxWaitMs)
    expect(attemptCount).toBe(3)
    expect(world.statuses()).toEqual(['a.txt failed'])
  })

  test("retries without limit while the server can't be reached", async () => {
    world.isServerReady = false
    let attemptCount = 0
    world.onStart = () => {
      attemptCount += 1
      return attemptCount < 20 ? failedOutcome(null) : null
    }
    world.add([fakeFile('a.txt')])
    await advanceTime(700_000)
    expect(world.statuses()).toEqual(['a.txt completed'])
  })

  test('resends the bytes once after a checksum mismatch', async () => {
    world.onConfirm = (count) => (count === 1 ? failedOutcome(409, 'CHECKSUM_MISMATCH') : null)
    world.add([fakeFile('a.txt')])
    await advanceTime(0)
    expect(world.log.filter((line) => line.startsWith('send '))).toHaveLength(2)
    expect(world.statuses()).toEqual(['a.txt completed'])
  })
})
