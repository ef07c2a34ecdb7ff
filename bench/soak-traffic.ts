import { setTimeout as wait } from 'node:timers/promises'
import { makeHttpClient } from './http-client.ts'
import type { Mayfly } from './mayfly.ts'
import { actions, type SharedFixture } from './soak-actions.ts'
import { slowClients, stallUntilClosed } from './soak-slow.ts'

/** Number of parallel clients. */
const clientCount = 8
/** The pause between a client's actions, which limits the load on the server. */
const pauseMs = 20

/** Counts of actions and problems. */
export class TrafficTally {
  /** How often each action was started and how often it succeeded. */
  readonly actions = new Map<string, { started: number; succeeded: number }>()
  /** How often each problem occurred, by its message. */
  readonly problems = new Map<string, number>()

  /** Returns the total number of successful actions. */
  successCount(): number {
    return [...this.actions.values()].reduce((sum, { succeeded }) => sum + succeeded, 0)
  }

  /**
   * Performs an action and counts it. `perform` returns false if it was aborted, which doesn't
   * count as a problem.
   */
  async attempt(name: string, perform: () => Promise<boolean>): Promise<void> {
    const action = this.actions.get(name) ?? { started: 0, succeeded: 0 }
    this.actions.set(name, action)
    action.started += 1
    try {
      if (await perform()) action.succeeded += 1
    } catch (error) {
      const problem = `${name}: ${error instanceof Error ? error.message : error}`
      this.problems.set(problem, (this.problems.get(problem) ?? 0) + 1)
    }
  }
}

/**
 * Runs all clients for at least `ms`, and longer if needed to start each action at least once.
 * Clients cycle through the actions.
 */
export async function runTraffic(
  mayfly: Mayfly,
  fixture: SharedFixture,
  tally: TrafficTally,
  ms: number,
): Promise<void> {
  const http = makeHttpClient(clientCount)
  const context = { ...fixture, mayfly, http }
  const actionEntries = Object.entries(actions)
  const deadlineMs = performance.now() + ms
  let nextAction = 0
  const runClient = async () => {
    while (performance.now() < deadlineMs || nextAction < actionEntries.length) {
      const [name, perform] = actionEntries[nextAction % actionEntries.length] ?? [
        '',
        async () => {},
      ]
      nextAction += 1
      await tally.attempt(name, () => perform(context).then(() => true))
      await wait(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clientCount }, runClient))
  http.close()
}

/**
 * Keeps one slow client of each kind connected until the signal aborts. The server must close each
 * connection in time.
 */
export async function runSlowClients(
  mayfly: Mayfly,
  fixture: SharedFixture,
  tally: TrafficTally,
  signal: AbortSignal,
): Promise<void> {
  const http = makeHttpClient(1)
  const context = { ...fixture, mayfly, http }
  const repeatStall = async ([name, slow]: (typeof slowClients)[number]) => {
    while (!signal.aborted) await tally.attempt(name, () => stallUntilClosed(context, slow, signal))
  }
  await Promise.all(slowClients.map(repeatStall))
  http.close()
}
