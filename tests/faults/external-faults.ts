import { setTimeout as wait } from 'node:timers/promises'
import type { ChaosProxy, Exchange } from '../support/chaos-proxy.ts'
import type { RandomInt } from '../support/seeded-rounds.ts'
import type { Reaction } from '../support/smtp-server.ts'
import { makeEmailsDue } from './emails.ts'
import { type Fault, maxDelayMs } from './fault.ts'
import type { Setup } from './setups.ts'

const maxOutageMs = 800
const maxResponseDelayMs = 250
/** Slightly longer than the one-second interval at which the server polls its email queue. */
const maxMailOutageMs = 1200
const pollMs = 20

/** How a mail server can mishandle an email. */
const mailReactions: readonly Reaction[] = [
  'drop',
  'accept-and-drop',
  'hold',
  { recipient: 451 },
  { content: 451 },
]

function hasBucket({ store }: Setup): boolean {
  return store === 'bucket'
}

/**
 * The HTTP methods that a bucket fault can affect. 'any' is listed twice to make it more likely.
 */
const methodChoices = ['any', 'any', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

/**
 * Draws the requests that a bucket fault affects: at least half of those with one HTTP method, or
 * of all requests.
 */
function drawRequests(random: RandomInt): (exchange: Exchange) => boolean {
  const chosenMethod = methodChoices[random(methodChoices.length)] ?? 'any'
  const percent = 50 + random(51)
  return ({ method }) =>
    (chosenMethod === 'any' || chosenMethod === method) && random(100) < percent
}

/**
 * Calls `startFailure` to disrupt the connection to the bucket, and restores it after a random
 * delay.
 */
function interrupt(
  startFailure: (network: ChaosProxy, random: RandomInt) => void,
): Fault['inject'] {
  return async ({ bucketNetwork }, random) => {
    await wait(random(maxDelayMs))
    if (bucketNetwork) startFailure(bucketNetwork, random)
    await wait(random(maxOutageMs))
    bucketNetwork?.restore()
  }
}

/** Makes the bucket respond to some requests with this status. */
function respondWith(status: number): Fault['inject'] {
  return interrupt((network, random) => network.respondWith(status, drawRequests(random)))
}

/** Faults in the bucket, the mail server and the disk. */
export const externalFaults = {
  'the bucket is down': {
    affects: ['bucket'],
    weight: 3,
    isPossible: hasBucket,
    inject: interrupt((network) => network.cut()),
  },
  'the bucket is slow': {
    affects: ['bucket'],
    weight: 2,
    isPossible: hasBucket,
    async inject({ bucketNetwork }, random) {
      const slowestMs = 1 + random(maxResponseDelayMs)
      bucketNetwork?.delay(() => random(slowestMs))
    },
  },
  'the bucket hangs': {
    affects: ['bucket'],
    weight: 1,
    isPossible: hasBucket,
    inject: interrupt((network, random) => network.stall(drawRequests(random))),
  },
  'the bucket returns 500': {
    affects: ['bucket'],
    weight: 3,
    isPossible: hasBucket,
    inject: respondWith(500),
  },
  'the bucket returns 503': {
    affects: ['bucket'],
    weight: 3,
    isPossible: hasBucket,
    inject: respondWith(503),
  },
  'responses of the bucket are lost': {
    affects: ['bucket'],
    weight: 4,
    isPossible: hasBucket,
    inject: interrupt((network, random) => network.dropResponses(drawRequests(random))),
  },
  'the mail server is down': {
    affects: ['mail'],
    weight: 1,
    async inject({ mailServer, directDb }, random) {
      mailServer.goOffline()
      await makeEmailsDue(directDb)
      await wait(random(maxMailOutageMs))
      await mailServer.goOnline()
    },
  },
  'the mail server fails': {
    affects: ['mail'],
    weight: 2,
    async inject({ mailServer, directDb }, random) {
      const reaction = mailReactions[random(mailReactions.length)] ?? 'drop'
      mailServer.setReaction(reaction)
      const emailCount = mailServer.attemptedRecipients.length
      await makeEmailsDue(directDb)
      const deadline = performance.now() + maxMailOutageMs
      while (mailServer.attemptedRecipients.length === emailCount && performance.now() < deadline)
        await wait(pollMs)
      mailServer.setReaction('accept')
    },
  },
  'the disk is full': {
    affects: ['disk'],
    weight: 8,
    isPossible: ({ store }) => store === 'small disk',
    async inject({ smallDisk }, random) {
      await wait(random(maxDelayMs))
      await smallDisk?.fill()
      await wait(random(maxOutageMs))
      await smallDisk?.clear()
    },
  },
  'the disk is full and the server is killed': {
    // This fault restarts the server, which requires the database to be up.
    affects: ['disk', 'processes', 'database'],
    weight: 3,
    isPossible: ({ store }) => store === 'small disk',
    async inject({ server, smallDisk }, random) {
      await smallDisk?.fill()
      await wait(random(maxDelayMs))
      await server.kill()
      // The server can start even on a full disk, because it doesn't use embedded Postgres here.
      await server.start()
      await smallDisk?.clear()
    },
  },
} as const satisfies Record<string, Fault>
