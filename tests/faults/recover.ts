import { setTimeout as wait } from 'node:timers/promises'
import { hangMs } from '../support/hang.ts'
import { expectClearRefusal } from './clear-refusal.ts'
import { Violation } from './expected-file.ts'
import { type Player, signIn } from './player.ts'
import type { Stage } from './stage.ts'

const pollMs = 20

/**
 * Ends what is left of a fault. Starts the server if it was killed, waits until it answers, and
 * signs in whoever is signed out.
 * @throws {Violation} if the server does not answer again or not clearly, or a player cannot sign
 * in.
 */
export async function recover(stage: Stage, players: readonly Player[]): Promise<void> {
  const { server, network, bucketNetwork } = stage
  network.open()
  bucketNetwork?.open()
  const deadline = performance.now() + hangMs
  for (;;) {
    try {
      // On a busy machine Postgres may be too slow for a start, which then fails.
      await server.start()
      return await expectReady(stage, players)
    } catch (error) {
      if (error instanceof Violation) throw error
      if (performance.now() > deadline) throw new Violation(`no recovery: ${error}`)
      await wait(pollMs)
    }
  }
}

async function expectReady({ server }: Stage, players: readonly Player[]): Promise<void> {
  const ready = await statusOf(await fetch(`${server.url}/api/ready`))
  if (ready !== 200) throw new Error(`/api/ready answers ${ready}`)
  for (const player of players) {
    const known = await statusOf(await player.client.fetch('/api/auth/user'))
    if (known === 200) continue
    if (known !== 401) throw new Error(`/api/auth/user answers ${known}`)
    // A change of the password gives the session another cookie. If the answer to the change was
    // lost, the player still has the old cookie, which is worth nothing.
    if (!(await signIn(player))) throw new Error(`${player.email} cannot sign in`)
  }
}

/** Reads an answer to its end. Returns its status. */
async function statusOf(answer: Response): Promise<number> {
  if (answer.status >= 500) await expectClearRefusal(answer)
  else await answer.arrayBuffer()
  return answer.status
}
