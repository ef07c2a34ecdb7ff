import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { play } from './faults/play.ts'
import { freshDatabase } from './support/postgres.ts'
import { roundsOf } from './support/rounds.ts'

test('users against faults by chance: everything that was answered holds', async () => {
  const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
  const rounds = roundsOf(4, 200)
  const played = await play(await freshDatabase(), seed, rounds)
  expect(played.rounds).toBe(rounds)
  expect(played.files).toBeGreaterThan(0)
})
