import { createHash, randomInt } from 'node:crypto'

/** Returns a random whole number from 0 to `limit` - 1. */
export type Draw = (limit: number) => number

/**
 * Runs `rounds` rounds with random numbers. To repeat the numbers of an earlier run, set the
 * environment variable FAULT_SEED to its seed. The error of a round that fails names the seed.
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
      const said = error instanceof Error ? error.message : String(error)
      throw new Error(`FAULT_SEED=${seed}, round ${number}: ${said}`, { cause: error })
    }
  }
}

/** Returns random numbers that depend on nothing but the seed. */
export function numbersFrom(seed: number | string): Draw {
  let drawn = 0
  return (limit) => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().readUInt32BE() % limit
  }
}
