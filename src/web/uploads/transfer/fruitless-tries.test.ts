import { expect, test } from 'vitest'
import { countedTries, maxFruitlessTries } from './fruitless-tries.ts'

/** What is counted of so many tries, one after another, while the server answers like this. */
const count = async (tries: number, isReady: (nth: number) => boolean) => {
  const counts: number[] = []
  let asked = 0
  for (let nth = 1; nth <= tries; nth += 1) {
    counts.push(
      await countedTries((counts.at(-1) ?? 0) + 1, async () => {
        asked += 1
        return isReady(nth)
      }),
    )
  }
  return { counts, asked }
}

test('while the server is there every try counts', async () => {
  const { counts, asked } = await count(8, () => true)
  expect(counts.at(-1)).toBe(maxFruitlessTries)
  expect(asked).toBe(2)
})

test('while it is away they never become too many', async () => {
  const { counts } = await count(500, () => false)
  expect(Math.max(...counts)).toBe(maxFruitlessTries - 2)
})

test('one that has just come back was there neither before nor during the try before', async () => {
  // Away until after the 20th try began, and gone again at the 22nd.
  const { counts } = await count(25, (nth) => nth >= 20 && nth !== 22)
  expect(counts.slice(18)).toEqual([6, 7, 8, 6, 7, 8, 9])
  const restarts = await count(100, (nth) => nth % 2 === 0)
  expect(Math.max(...restarts.counts)).toBeLessThan(maxFruitlessTries)
})
