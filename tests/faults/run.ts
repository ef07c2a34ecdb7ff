/**
 * Plays users against faults that the seed draws. Ends with code 1 at the first broken promise, and
 * names the seed and the round.
 * Usage: `npm run faults -- --seed n --rounds m`.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createDatabase, startTestPostgres } from '../support/postgres-server.ts'
import { play } from './play.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, rounds: { type: 'string', default: '200' } },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const rounds = Number(values.rounds)
const toldEvery = 100

if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.error('Usage: npm run faults -- [--seed number] [--rounds number]')
  process.exit(2)
}
console.log(`seed ${seed}, ${rounds} rounds`)
const postgres = await startTestPostgres()
try {
  const database = await createDatabase(postgres.url, 'migrated')
  const { faults, ...played } = await play(database, seed, rounds, (round) => {
    if (round % toldEvery === 0) console.log(`${round} rounds without a broken promise`)
  })
  console.table(faults)
  console.log(`${played.rounds} rounds, ${played.files} files, ${played.downloads} read whole`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await postgres.stop()
}
