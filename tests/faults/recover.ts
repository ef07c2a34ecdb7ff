import { setTimeout as wait } from 'node:timers/promises'
import { hangMs } from '../support/hang.ts'
import { Violation } from './expected-file.ts'
import { type Player, signIn } from './player.ts'
import type { Stage } from './stage.ts'

const pollMs = 20

/**
 * Ends what is left of a fault. Starts the server if it was killed, waits until it answers, and
 * signs in whoever is signed out.
 * @throws {Violation} if the server does not answer again, or a player cannot sign in.
 */
export async function recover(stage: Stage, players: readonly Player[]): Promise<void> {
  const { server, network, bucketNetwork } = stage
  network.open()
  bucketNetwork?.open()
  await server.start()
  const deadline = performance.now() + hangMs
  for (;;) {
    try {
      return await expectReady(stage, players)
    } catch (error) {
      if (performance.now() > deadline) throw new Violation(`no recovery: ${error}`)
      await wait(pollMs)
    }
  }
}

async function expectReady({ server }: Stage, players: readonly Player[]): Promise<void> {
  const ready = await fetch(`${server.url}/api/ready`)
  await ready.arrayBuffer()
  if (!ready.ok) throw new Error(`/api/ready answers ${ready.status}`)
  for (const player of players) {
    const known = await player.client.fetch('/api/auth/user')
    await known.arrayBuffer()
    if (known.ok) continue
    if (known.status !== 401) throw new Error(`/api/auth/user answers ${known.status}`)
    // A session ends after 14 days without use, and when the password is changed. The clock may
    // have been advanced by more than that, and the answer to a change may have been lost.
    if (!(await signIn(player))) throw new Error(`${player.email} cannot sign in`)
  }
}
