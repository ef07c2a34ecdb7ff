import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findGrowth, type Sample } from '../bench/growth.ts'
import { hangMs } from './support/hang.ts'

const flat: Sample = { memoryMiB: 200, handles: 44, connections: 7 }

/** Ten rounds, each with these changes to a flat one. */
function tenRounds(change: (round: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 10 }, (_, round) => ({ ...flat, ...change(round) }))
}

describe('growth', () => {
  test('is not found where figures go up and down, or only rise at first', () => {
    expect(
      findGrowth(
        tenRounds(() => ({})),
        10,
      ),
    ).toEqual([])
    const uneven = (round: number) => ({
      memoryMiB: 200 + (round % 3) * 14,
      handles: 44 + (round % 2) * 6,
    })
    expect(findGrowth(tenRounds(uneven), 10)).toEqual([])
    const warming = (round: number) => ({ memoryMiB: Math.min(250, 150 + 40 * round) })
    expect(findGrowth(tenRounds(warming), 10)).toEqual([])
  })

  test.each([
    [
      'memory',
      (round: number) => ({ memoryMiB: 200 + 5 * round }),
      ['memoryMiB grew from 220 to 240'],
    ],
    ['handles', (round: number) => ({ handles: 44 + 2 * round }), ['handles grew from 52 to 60']],
    [
      'the pool',
      (round: number) => ({ connections: round === 5 ? 11 : 7 }),
      ['11 connections to the database, of 10'],
    ],
  ])('of %s is found', (_, change, found) => {
    expect(findGrowth(tenRounds(change), 10)).toEqual(found)
  })
})

test('a short round of the mixed traffic is answered as expected', async () => {
  const args = ['--disable-warning=ExperimentalWarning', 'bench/soak.ts', '--minutes', '0.05']
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 4 * hangMs })
  expect(stdout).toMatch(/Every answer was the expected one\.\n$/)
  expect(stdout.match(/^\| \d/gm)).toHaveLength(1)
})
