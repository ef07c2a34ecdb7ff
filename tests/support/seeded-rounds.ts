import { createHash, randomInt } from 'node:crypto'

/** Returns a random integer from 0 to `limit` - 1. */
export type RandomInt = (limit: number) => number

/**
 * Runs rounds that use seeded random numbers. If a round fails, the error contains the seed. To
 * repeat the rounds, set FAULT_SEED to that seed.
 */
export async function runSeededRounds(
  rounds: number,
  runRound: (random: RandomInt) => Promise<void>,
): Promise<void> {
  const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
  const random = seededRandom(seed)
  for (let roundNumber = 1; roundNumber <= rounds; roundNumber += 1) {
    try {
      await runRound(random)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new Error(`FAULT_SEED=${seed}, round ${roundNumber}: ${message}`, { cause: error })
    }
  }
}

/** Returns a function that generates random integers, which depend only on the seed. */
export function seededRandom(seed: number | string): RandomInt {
  let drawCount = 0
  return (limit) => {
    drawCount += 1
    return createHash('sha256').update(`${seed} ${drawCount}`).digest().readUInt32BE() % limit
  }
}
