import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findGrowth, type Sample } from '../bench/growth.ts'
import { actions } from '../bench/soak-actions.ts'
import { slowClients } from '../bench/soak-slow.ts'
import { hangTimeoutMs } from './support/hang-timeout.ts'
import { isLongRun } from './support/rounds.ts'

const flatSample: Sample = {
  memoryMiB: 200,
  heapMiB: 60,
  handles: 44,
  connections: 7,
  checkedOut: 0,
}

/** Creates ten samples, each equal to `flatSample` except for the given changes. */
function makeTenSamples(change: (round: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 10 }, (_, round) => ({ ...flatSample, ...change(round) }))
}

describe('growth', () => {
  test("isn't reported for figures that fluctuate or rise only at first", () => {
    expect(findGrowth(makeTenSamples(() => ({})))).toEqual([])
    const makeUnevenChange = (round: number) => ({
      memoryMiB: 200 + (round % 3) * 14,
      heapMiB: 60 + (round % 3) * 20,
      handles: 44 + (round % 2) * 6,
      connections: 7 + (round % 3),
      checkedOut: round % 2,
    })
    expect(findGrowth(makeTenSamples(makeUnevenChange))).toEqual([])
    const makeWarmUpChange = (round: number) => ({ memoryMiB: Math.min(250, 150 + 40 * round) })
    expect(findGrowth(makeTenSamples(makeWarmUpChange))).toEqual([])
  })

  test.each<[figure: keyof Sample, each: number, found: string]>([
    ['memoryMiB', 5, 'memoryMiB grew from 220 to 240'],
    ['heapMiB', 14, 'heapMiB grew from 116 to 172'],
    ['handles', 2, 'handles grew from 52 to 60'],
    ['connections', 1, 'connections grew from 11 to 15'],
    ['checkedOut', 0.5, 'checkedOut grew from 2 to 4'],
  ])('of %s is reported', (figure, growthPerRound, message) => {
    const growingSamples = makeTenSamples((round) => ({
      [figure]: flatSample[figure] + growthPerRound * round,
    }))
    expect(findGrowth(growingSamples)).toEqual([message])
  })
})

// Runs only in a long run, because it tests the benchmark rather than the product.
test.runIf(isLongRun)('every action succeeds in a short round of mixed traffic', async () => {
  const args = ['--disable-warning=ExperimentalWarning', 'bench/soak.ts', '--minutes', '0.05']
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    timeout: 4 * hangTimeoutMs,
  })
  expect(stdout).toMatch(/Every answer was the expected one\.\n$/)
  expect(stdout.match(/^\| \d/gm)).toHaveLength(1)
  const rows = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const startedColumn = 2
  const succeededColumn = 3
  const isZero = (column: number) => (name: string) =>
    !rows.some((row) => row[1] === name && Number(row[column]) > 0)
  expect(Object.keys(actions).filter(isZero(succeededColumn))).toEqual([])
  // A slow client counts as successful once the server has timed it out, and this round is too
  // short for that.
  expect(slowClients.map(([name]) => name).filter(isZero(startedColumn))).toEqual([])
})
