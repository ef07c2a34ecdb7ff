import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type EngineWorld,
  openEngineWorld,
  pass,
  refused,
} from '../../../../tests/support/engine-world.ts'
import { fileNamed, tierIsFull } from '../../../../tests/support/upload-facts.ts'
import { expectGrowingWaits } from '../../../../tests/support/waits.ts'
import { errorTable } from '../../../shared/contract/errors.ts'
import { maxWaitMs } from '../transfer/retry-policy.ts'
import { TransferError } from '../upload-ports.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('a failed upload', () => {
  test("doesn't stop the others and can be retried", async () => {
    world.onStart = (name) => (name === 'a.txt' ? refused(500) : null)
    const [id = ''] = world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    await pass(1000)
    expect(world.toasts[0]).toEqual({
      title: 'Upload Error',
      description: 'Failed to get upload URL',
    })
    expect(world.state().outcome).toBe('1 of 2 files uploaded')
    expect(world.state().records[0]).toMatchObject({ error: 'Failed to get upload URL' })
    world.onStart = () => null
    await world.engine.resume(id)
    await pass(0)
    expect(world.shown()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('is not retried automatically if the server is out of space', async () => {
    const { status, message } = errorTable.STORAGE_FULL
    world.onStart = (name) => (name === 'a.txt' ? refused(status, 'STORAGE_FULL', message) : null)
    world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    await pass(1000)
    expect(world.toasts[0]).toEqual({ title: 'Upload Error', description: message })
    // The next file is still tried because it may fit.
    expect(world.shown()).toEqual(['a.txt failed', 'b.txt completed'])
    await pass(600_000)
    expect(world.requests.filter(({ fileName }) => fileName === 'a.txt')).toHaveLength(1)
  })

  test('shows an inline error and stops the remaining uploads if the tier is full', async () => {
    world.onStart = () => refused(403, 'TIER_FILE_COUNT', tierIsFull)
    world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    await pass(1000)
    expect(world.toasts).toEqual([])
    expect(world.requests).toHaveLength(1)
    expect(world.state().inlineError).toBe(tierIsFull)
    expect(world.shown()).toEqual(['a.txt failed', 'b.txt failed'])
    world.engine.dismissInlineError()
    expect(world.state().inlineError).toBeNull()
  })

  test('continues from the stored bytes when it is retried', async () => {
    world.onSend = () => {
      throw new TransferError('network')
    }
    const [id = ''] = world.add([fileNamed('a.txt')])
    await pass(0)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
    expect(world.toasts).toEqual([
      { title: 'Upload Failed', description: 'Network error during upload' },
    ])
    world.onSend = () => undefined
    await world.engine.resume(id)
    await pass(0)
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
    world.add([fileNamed('a.txt')])
    await pass(0)
    world.engine.clear()
    await pass(0)
    expect(world.log.at(-1)).toBe('abort key of a.txt')
    expect(world.state().records).toEqual([])
    await pass(200)
    expect(world.saved()).toEqual([])
  })
})

describe('an upload with a transient error', () => {
  test('retries an unanswered confirm call with growing waits', async () => {
    const confirmTimes: number[] = []
    world.onConfirm = (count) => {
      confirmTimes.push(Date.now())
      return count < 3 ? refused(null) : null
    }
    world.add([fileNamed('a.txt')])
    await pass(2 * maxWaitMs)
    const [first = 0, second = 0, third = 0] = confirmTimes
    expect(confirmTimes).toHaveLength(3)
    expectGrowingWaits([second - first, third - second])
    expect(world.shown()).toEqual(['a.txt completed'])
  })

  test('retries a start that a busy server refused until it fails for another reason', async () => {
    let tries = 0
    world.onStart = () => {
      tries += 1
      return tries < 3 ? refused(503) : refused(500)
    }
    world.add([fileNamed('a.txt')])
    await pass(2 * maxWaitMs)
    expect(tries).toBe(3)
    expect(world.shown()).toEqual(['a.txt failed'])
  })

  test('retries without limit while the browser is offline', async () => {
    world.isOnline = false
    let tries = 0
    world.deps.connection.waitUntilOnline = () => new Promise((done) => setTimeout(done, 30_000))
    world.onStart = () => {
      tries += 1
      if (tries === 20) world.isOnline = true
      return tries < 20 ? refused(null) : null
    }
    world.add([fileNamed('a.txt')])
    await pass(700_000)
    expect(world.shown()).toEqual(['a.txt completed'])
  })

  test('resends the bytes once after a checksum mismatch', async () => {
    world.onConfirm = (count) => (count === 1 ? refused(409, 'CHECKSUM_MISMATCH') : null)
    world.add([fileNamed('a.txt')])
    await pass(0)
    expect(world.log.filter((line) => line.startsWith('send '))).toHaveLength(2)
    expect(world.shown()).toEqual(['a.txt completed'])
  })
})
