import { setTimeout as wait } from 'node:timers/promises'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import type { Environment } from './environment.ts'
import { Violation } from './expected-file.ts'
import { type SimulatedUser, signIn } from './simulated-user.ts'
import { expectValidServerError } from './valid-server-error.ts'

const pollMs = 20

/**
 * Waits until the system has recovered from a fault: restarts the server if it was killed, waits
 * until it responds, and signs users in again.
 * @throws {Violation} if the server doesn't recover or returns a malformed error, or if a user
 * can't sign in.
 */
export async function recover(
  environment: Environment,
  users: readonly SimulatedUser[],
): Promise<void> {
  const { server, network, bucketNetwork } = environment
  network.restore()
  bucketNetwork?.restore()
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    try {
      // On a busy machine, Postgres may respond so slowly that the first start fails.
      await server.start()
      return await expectReady(environment, users)
    } catch (error) {
      if (error instanceof Violation) throw error
      if (performance.now() > deadline) throw new Violation(`no recovery: ${error}`)
      await wait(pollMs)
    }
  }
}

async function expectReady(
  { server }: Environment,
  users: readonly SimulatedUser[],
): Promise<void> {
  const readyStatus = await readStatus(await fetch(`${server.url}/api/ready`))
  if (readyStatus !== 200) throw new Error(`/api/ready returns ${readyStatus}`)
  for (const user of users) {
    const userStatus = await readStatus(await user.client.fetch('/api/auth/user'))
    if (userStatus === 200) continue
    if (userStatus !== 401) throw new Error(`/api/auth/user returns ${userStatus}`)
    // A password change replaces the session cookie. If its response was lost, the user still has
    // the old cookie.
    if (!(await signIn(user))) throw new Error(`${user.email} cannot sign in`)
  }
}

async function readStatus(response: Response): Promise<number> {
  if (response.status >= 500) await expectValidServerError(response)
  else await response.arrayBuffer()
  return response.status
}
