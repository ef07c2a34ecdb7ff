import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'

export async function runAfter<T>(ms: number, work: () => Promise<T>): Promise<T> {
  await wait(ms)
  return work()
}

/**
 * Races two functions against each other for several rounds. The winner of a round starts later in
 * the next one, by a step that doubles with each consecutive win. This way both win sometimes, even
 * on a slow machine. Call `expectBothWon` at the end, because if only one ever wins, the race
 * proves nothing.
 */
export function makeRace(rounds: number) {
  let offset = 0
  let step = 1
  let lastWinner: 'first' | 'second' | undefined
  const wins = { first: 0, second: 0 }
  const isEnough = (count: number) => count > rounds / 20
  return {
    run: <A, B>(first: () => Promise<A>, second: () => Promise<B>) =>
      Promise.all([
        runAfter(Math.max(0, -offset) + randomInt(3), first),
        runAfter(Math.max(0, offset) + randomInt(3), second),
      ]),
    recordWin(winner: 'first' | 'second') {
      wins[winner] += 1
      step = winner === lastWinner ? step * 2 : 1
      lastWinner = winner
      offset += winner === 'first' ? -step : step
    },
    expectBothWon: () =>
      expect(wins).toEqual({
        first: expect.toSatisfy(isEnough),
        second: expect.toSatisfy(isEnough),
      }),
  }
}
