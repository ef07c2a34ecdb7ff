import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

export async function runAfter<T>(ms: number, work: () => Promise<T>): Promise<T> {
  await wait(ms)
  return work()
}

/**
 * Races two functions against each other for at least `rounds` rounds, until each has won one:
 * if only one ever wins, the race proves nothing. The winner of a round starts later in the next
 * one, by a step that doubles with each consecutive win, so that both win even on a slow machine.
 */
export function makeRace(rounds: number) {
  let offset = 0
  let step = 1
  let roundCount = 0
  let lastWinner: 'first' | 'second' | undefined
  const winners = new Set<'first' | 'second'>()
  return {
    needsRound: () => roundCount < rounds || winners.size < 2,
    run: <A, B>(first: () => Promise<A>, second: () => Promise<B>) =>
      Promise.all([
        runAfter(Math.max(0, -offset) + randomInt(3), first),
        runAfter(Math.max(0, offset) + randomInt(3), second),
      ]),
    recordWin(winner: 'first' | 'second') {
      roundCount += 1
      winners.add(winner)
      step = winner === lastWinner ? step * 2 : 1
      lastWinner = winner
      offset += winner === 'first' ? -step : step
    },
  }
}
