import { setTimeout as wait } from 'node:timers/promises'
import type { ChaosProxy, Exchange } from '../support/chaos-proxy.ts'
import type { Draw } from '../support/seeded-rounds.ts'
import type { Reaction } from '../support/smtp-server.ts'
import { makeEmailsDue } from './emails.ts'
import { type Fault, longestDelayMs } from './fault.ts'
import type { Setup } from './setups.ts'

const longestAwayMs = 800
const longestAnswerMs = 250
/** The server polls for emails once a second. */
const longestMailMs = 1200
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

/** The methods a bucket fault can affect. Any method is the most likely. */
const methodChoices = ['any', 'any', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

/**
 * Draws the requests affected by a bucket fault: at least half of those with one method, or with
 * any.
 */
function randomRequests(random: Draw): (exchange: Exchange) => boolean {
  const met = methodChoices[random(methodChoices.length)] ?? 'any'
  const percent = 50 + random(51)
  return ({ method }) => (met === 'any' || met === method) && random(100) < percent
}

/** Breaks the connection to the bucket by calling `begin`, and restores it after a while. */
function interrupt(begin: (network: ChaosProxy, random: Draw) => void): Fault['inject'] {
  return async ({ bucketNetwork }, random) => {
    await wait(random(longestDelayMs))
    if (bucketNetwork) begin(bucketNetwork, random)
    await wait(random(longestAwayMs))
    bucketNetwork?.open()
  }
}

/** Makes the bucket fail some requests with this status. */
function respondWith(status: number): Fault['inject'] {
  return interrupt((network, random) => network.answer(status, randomRequests(random)))
}

/** Faults of the bucket, the mail server and the disk. */
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
      const slowestMs = 1 + random(longestAnswerMs)
      bucketNetwork?.slow(() => random(slowestMs))
    },
  },
  'the bucket hangs': {
    affects: ['bucket'],
    weight: 1,
    isPossible: hasBucket,
    inject: interrupt((network, random) => network.hold(randomRequests(random))),
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
    inject: interrupt((network, random) => network.loseAnswers(randomRequests(random))),
  },
  'the mail server is down': {
    affects: ['mail'],
    weight: 1,
    async inject({ mailServer, directDb }, random) {
      mailServer.leave()
      await makeEmailsDue(directDb)
      await wait(random(longestMailMs))
      await mailServer.comeBack()
    },
  },
  'the mail server fails': {
    affects: ['mail'],
    weight: 2,
    async inject({ mailServer, directDb }, random) {
      const reaction = mailReactions[random(mailReactions.length)] ?? 'drop'
      mailServer.react(reaction)
      const offered = mailServer.offered.length
      await makeEmailsDue(directDb)
      const end = performance.now() + longestMailMs
      while (mailServer.offered.length === offered && performance.now() < end) await wait(pollMs)
      mailServer.react('accept')
    },
  },
  'the disk is full': {
    affects: ['disk'],
    weight: 8,
    isPossible: ({ store }) => store === 'small disk',
    async inject({ smallDisk }, random) {
      await wait(random(longestDelayMs))
      await smallDisk?.fill()
      await wait(random(longestAwayMs))
      await smallDisk?.clear()
    },
  },
  'the disk is full and the server is killed': {
    // Postgres must be up so that the server can start.
    affects: ['disk', 'processes', 'database'],
    weight: 3,
    isPossible: ({ store }) => store === 'small disk',
    async inject({ server, smallDisk }, random) {
      await smallDisk?.fill()
      await wait(random(longestDelayMs))
      await server.kill()
      // Without embedded Postgres, a starting server needs no disk space.
      await server.start()
      await smallDisk?.clear()
    },
  },
} as const satisfies Record<string, Fault>
