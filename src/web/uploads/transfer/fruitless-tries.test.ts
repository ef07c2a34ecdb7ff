import { expect, test } from 'vitest'
import { refusal } from '../../../../tests/support/upload-facts.ts'
import { countedTries, maxFruitlessTries, showsServer } from './fruitless-tries.ts'

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

test.each([401, 403, 404, 429])('a proxy that answers %i in its place shows it there', (status) => {
  expect(showsServer({ ok: false, refusal: refusal(status) })).toBe(true)
})

test.each([null, 500, 502, 503, 504])('%s shows it away, whoever answers', (status) => {
  expect(showsServer({ ok: false, refusal: refusal(status) })).toBe(false)
})

test('one that is ready is there', () => {
  expect(showsServer({ ok: true, value: {} })).toBe(true)
})
