import { createHash, randomInt } from 'node:crypto'

/** A whole number from 0 up to, and not including, the limit. */
export type Draw = (limit: number) => number

/**
 * Runs a round so many times, with numbers that are the same ones for the same FAULT_SEED. What a
 * failing round throws names the seed that brings it back.
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

function numbersFrom(seed: number): Draw {
  let drawn = 0
  return (limit) => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().readUInt32BE() % limit
  }
}
