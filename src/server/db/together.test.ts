import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lookUpTogether, workTogether } from './together.ts'

describe('lookUpTogether', () => {
  const lengths = (calls: string[][]) =>
    lookUpTogether(async (keys) => {
      calls.push([...keys])
      return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key.length]))
    })

  it('asks once for all keys of a turn, and names each of them once', async () => {
    const calls: string[][] = []
    const find = lengths(calls)
    const found = await Promise.all(['a', 'unknown', 'bb', 'a'].map(find))
    expect(found).toEqual([1, undefined, 2, 1])
    expect(calls).toEqual([['a', 'unknown', 'bb']])
  })

  it('asks again in a later turn, also for the same key', async () => {
    const calls: string[][] = []
    const find = lengths(calls)
    const first = find('a')
    await nextTurn()
    await Promise.all([first, find('a')])
    expect(calls).toEqual([['a'], ['a']])
  })

  it('tells everybody who shared a call that it failed, and nobody else', async () => {
    let isBroken = true
    const find = lookUpTogether(async (keys) => {
      if (isBroken) throw new Error('cut')
      return new Map(keys.map((key) => [key, 1]))
    })
    const both = await Promise.allSettled([find('a'), find('b')])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isBroken = false
    expect(await find('a')).toBe(1)
  })
})

describe('workTogether', () => {
  it('does the items of an owner by one call, and gives each caller its own results', async () => {
    const calls: [string, string[]][] = []
    const work = workTogether(async (ownerId, items: readonly string[]) => {
      calls.push([ownerId, [...items]])
      return items.map((item) => `${item} of ${ownerId}`)
    })
    const ended = await Promise.all([
      work('ada', ['x', 'y']),
      work('bob', ['x']),
      work('ada', ['z']),
    ])
    expect(ended).toEqual([['x of ada', 'y of ada'], ['x of bob'], ['z of ada']])
    expect(calls).toEqual([
      ['ada', ['x', 'y', 'z']],
      ['bob', ['x']],
    ])
  })

  it('does nothing without items', async () => {
    const work = workTogether(async () => {
      throw new Error('called')
    })
    expect(await work('ada', [])).toEqual([])
  })

  it('fails for one owner and not for another', async () => {
    const work = workTogether(async (ownerId, items: readonly string[]) => {
      if (ownerId === 'ada') throw new Error('cut')
      return [...items]
    })
    const [ofAda, alsoOfAda, ofBob] = await Promise.allSettled([
      work('ada', ['x']),
      work('ada', ['y']),
      work('bob', ['z']),
    ])
    expect(ofAda).toMatchObject({ status: 'rejected', reason: { message: 'cut' } })
    expect(alsoOfAda).toMatchObject({ status: 'rejected', reason: { message: 'cut' } })
    expect(ofBob).toEqual({ status: 'fulfilled', value: ['z'] })
  })
})
