import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type HotFile, HotFiles, type LentFile } from './hot-files.ts'
import { transferLimits } from './transfer-limits.ts'

const { hotBytes, hotFileBytes } = transferLimits

let hot: HotFiles
let reads: string[]
beforeEach(() => {
  vi.useFakeTimers()
  hot = new HotFiles()
  reads = []
})
afterEach(() => {
  hot.close()
  vi.useRealTimers()
})

function borrow(key: string, size = 10) {
  return hot.load(key, size, async () => {
    reads.push(key)
    return { bytes: Buffer.alloc(size, key), version: `of ${key}` }
  })
}

/** Downloads a file to the end. Returns null where it is not kept. */
async function download(key: string, size?: number) {
  const lent = await borrow(key, size)
  lent?.giveBack()
  return lent
}

/** Makes a file hot. Returns null where it is not kept. */
async function heat(key: string, size?: number) {
  await download(key, size)
  return download(key, size)
}

/** Downloads a file to the end if it is kept. Returns its bytes. */
function find(key: string): Buffer | undefined {
  const lent = hot.find(key)
  lent?.giveBack()
  return lent?.bytes
}

describe('a small file', () => {
  it('is kept from its second download on', async () => {
    expect(await download('a')).toBeNull()
    expect(find('a')).toBeUndefined()
    const kept = await download('a')
    expect(kept).toMatchObject({ bytes: Buffer.alloc(10, 'a'), version: 'of a' })
    expect(find('a')).toBe(kept?.bytes)
    expect(reads).toEqual(['a'])
  })

  it('is kept until it was not downloaded for some seconds', async () => {
    await heat('a')
    for (let round = 0; round < 10; round += 1) {
      vi.advanceTimersByTime(5_000)
      expect(find('a')).toBeDefined()
    }
    vi.advanceTimersByTime(10_000)
    expect(find('a')).toBeUndefined()
  })

  it('is kept no longer either if it was read very slowly', async () => {
    await download('a')
    const { promise, resolve } = Promise.withResolvers<HotFile>()
    const loading = hot.load('a', 10, () => promise)
    vi.advanceTimersByTime(10_000)
    resolve({ bytes: Buffer.alloc(10), version: '' })
    const lent = await loading
    lent?.giveBack()
    expect(find('a')).toBe(lent?.bytes)
    vi.advanceTimersByTime(15_000)
    expect(find('a')).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not hot if its downloads are far apart', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await download('a')).toBeNull()
      vi.advanceTimersByTime(10_000)
    }
  })

  it('is read by one download, while the others go to the disk', async () => {
    await download('a')
    const together = await Promise.all([download('a'), download('a'), download('a')])
    expect(together.filter((kept) => kept !== null)).toHaveLength(1)
    expect(reads).toEqual(['a'])
  })

  it('that cannot be read takes no memory', async () => {
    for (let round = 0; round < 100; round += 1) {
      await hot.load('bad', hotFileBytes, () => Promise.reject(new Error('no'))).catch(() => {})
    }
    expect(await heat('a', hotFileBytes)).not.toBeNull()
  })
})

it('a large file is never kept', async () => {
  expect(await heat('a', hotFileBytes + 1)).toBeNull()
  expect(await heat('b', hotFileBytes)).not.toBeNull()
})

describe('when there is no room', () => {
  const most = hotBytes / hotFileBytes
  const names = Array.from({ length: most }, (_, at) => `file ${at}`)

  it('the file that was used longest ago goes', async () => {
    for (const name of names) await heat(name, hotFileBytes)
    find('file 0')
    expect(await heat('one more', hotFileBytes)).not.toBeNull()
    expect(find('file 0')).toBeDefined()
    expect(find('file 1')).toBeUndefined()
  })

  it('bytes that are lent stay, and count until they are given back', async () => {
    const lent: (LentFile | null | undefined)[] = []
    for (const name of names) {
      await download(name, hotFileBytes)
      lent.push(await borrow(name, hotFileBytes), hot.find(name))
    }
    vi.advanceTimersByTime(60_000)
    expect(await heat('one more', hotFileBytes)).toBeNull()
    hot.forget('file 0')
    expect(await download('one more', hotFileBytes)).toBeNull()
    lent[0]?.giveBack()
    expect(await download('one more', hotFileBytes)).toBeNull()
    lent[1]?.giveBack()
    expect(await download('one more', hotFileBytes)).not.toBeNull()
  })
})
