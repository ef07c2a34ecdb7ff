import { createHash, randomInt } from 'node:crypto'

/** Returns a random integer from 0 to `limit` - 1. */
export type Draw = (limit: number) => number

/**
 * Runs rounds with seeded random numbers. FAULT_SEED replays a run. The error of a failed round
 * contains the seed.
 */
export async function seededRounds(
  rounds: number,
  round: (random: Draw) => Promise<void>,
): Promise<void> {
  const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
  const random = numbersFrom(seed)
  for (let number = 1; number <= rounds; number += 1) {
    try {
      await round(random)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new Error(`FAULT_SEED=${seed}, round ${number}: ${message}`, { cause: error })
    }
  }
}

/** Returns a random number generator determined by the seed. */
export function numbersFrom(seed: number | string): Draw {
  let drawn = 0
  return (limit) => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().readUInt32BE() % limit
  }
}
