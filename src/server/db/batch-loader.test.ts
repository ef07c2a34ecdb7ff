import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { batchLoader } from './batch-loader.ts'

describe('batchLoader', () => {
  const lengths = (calls: string[][]) =>
    batchLoader(async (keys) => {
      calls.push([...keys])
      return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key.length]))
    })

  it('looks up the distinct keys of one turn with one call', async () => {
    const calls: string[][] = []
    const find = lengths(calls)
    const found = await Promise.all(['a', 'unknown', 'bb', 'a'].map(find))
    expect(found).toEqual([1, undefined, 2, 1])
    expect(calls).toEqual([['a', 'unknown', 'bb']])
  })

  it('caches nothing', async () => {
    const calls: string[][] = []
    const find = lengths(calls)
    const first = find('a')
    await nextTurn()
    await Promise.all([first, find('a')])
    expect(calls).toEqual([['a'], ['a']])
  })

  it('fails only the calls that shared a failed look-up', async () => {
    let isBroken = true
    const find = batchLoader(async (keys) => {
      if (isBroken) throw new Error('cut')
      return new Map(keys.map((key) => [key, 1]))
    })
    const both = await Promise.allSettled([find('a'), find('b')])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isBroken = false
    expect(await find('a')).toBe(1)
  })
})
