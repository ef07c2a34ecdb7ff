import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { copyEach, copyObject } from './copy-objects.ts'

const key = 'k'
const bytes = Buffer.from('the bytes of a file')
const sha256 = createHash('sha256').update(bytes).digest('hex')
const wanted = { key, size: bytes.length, sha256 }

/** A store in memory. It counts what is written. */
function store(content?: Buffer) {
  const kept = new Map(content ? [[key, content]] : [])
  let writes = 0
  return {
    kept,
    writes: () => writes,
    read: async (name: string) => {
      const found = kept.get(name)
      return found ? Readable.from([found]) : null
    },
    write: async (name: string, _: number, stream: Readable) => {
      writes += 1
      kept.set(name, await buffer(stream))
    },
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a copy of an object', () => {
  it.each([
    ['known', sha256],
    ['not known', null],
  ])(
    'is written once where the SHA-256 is %s, and tells that of what was stored',
    async (_, known) => {
      const [from, to] = [store(bytes), store()]
      const object = { ...wanted, sha256: known }
      expect(await copyObject(object, from, to)).toEqual({ outcome: 'copied', sha256 })
      expect(await copyObject(object, from, to)).toEqual({ outcome: 'was there', sha256 })
      expect(to.kept.get(key)).toEqual(bytes)
      expect(to.writes()).toBe(1)
    },
  )

  it('replaces other bytes', async () => {
    const to = store(Buffer.from('what a killed copy has left'))
    expect(await copyObject(wanted, store(bytes), to)).toEqual({ outcome: 'copied', sha256 })
    expect(to.kept.get(key)).toEqual(bytes)
  })

  it('is missing where the source has nothing', async () => {
    const to = store()
    expect(await copyObject(wanted, store(), to)).toEqual({ outcome: 'missing' })
    expect(to.writes()).toBe(0)
  })

  it.each([
    ['shorter', { ...wanted, size: wanted.size + 1 }],
    ['longer', { ...wanted, size: wanted.size - 1, sha256: null }],
    ['others', { ...wanted, sha256: sha256.replaceAll(/[0-7]/g, '8') }],
  ])('is not kept where the bytes are %s than those wanted', async (_, other) => {
    const to = store()
    expect(await copyObject(other, store(bytes), to)).toEqual({ outcome: 'altered' })
    expect(to.kept.size).toBe(0)
  })

  it('fails where the source breaks off, and keeps nothing', async () => {
    const to = store()
    async function* broken() {
      yield bytes.subarray(0, 5)
      throw new Error('the source broke off')
    }
    const from = { read: async () => Readable.from(broken()) }
    await expect(copyObject(wanted, from, to)).rejects.toThrow('the source broke off')
    expect(to.kept.size).toBe(0)
  })

  it('fails where the target fails, and where it gives other bytes back', async () => {
    const full = { ...store(), write: async () => Promise.reject(new Error('the disk is full')) }
    await expect(copyObject(wanted, store(bytes), full)).rejects.toThrow('the disk is full')
    const to = store()
    const lying = {
      ...to,
      write: async (name: string, _: number, stream: Readable) => {
        to.kept.set(name, Buffer.concat([await buffer(stream), Buffer.from('!')]))
      },
    }
    await expect(copyObject(wanted, store(bytes), lying)).rejects.toThrow('gives other bytes back')
  })
})

it('a copy ends where a store goes silent, also while it gives the bytes back', async () => {
  vi.useFakeTimers()
  const opened = Promise.withResolvers<void>()
  const silent = new Readable({ read: () => opened.resolve() })
  const to = store(bytes)
  const lost = copyObject(wanted, store(bytes), { ...to, read: async () => silent })
  const failed = expect(lost).rejects.toThrow('no byte moved in time')
  await opened.promise
  await vi.advanceTimersByTimeAsync(5 * minuteInMs)
  await failed
})

it('several copies run at the same time, and their results come in order', async () => {
  let running = 0
  let most = 0
  async function* numbers() {
    for (let at = 0; at < 9; at += 1) yield at
  }
  const results: [number, number][] = []
  const double = async (at: number) => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    return 2 * at
  }
  for await (const result of copyEach(numbers(), double)) results.push(result)
  expect(results).toEqual(Array.from({ length: 9 }, (_, at) => [at, 2 * at]))
  expect(most).toBe(4)
})
