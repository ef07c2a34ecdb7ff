import { setTimeout as wait } from 'node:timers/promises'
import type { ChaosProxy, Exchange } from '../support/chaos-proxy.ts'
import type { Draw } from '../support/seeded-rounds.ts'
import type { Reaction } from '../support/smtp-server.ts'
import { hurryMail } from './emails.ts'
import { type Fault, longestDelayMs } from './fault.ts'
import type { Setup } from './setups.ts'

const longestAwayMs = 800
const longestAnswerMs = 250
/** The server looks for mail once a second. */
const longestMailMs = 1200
const pollMs = 20

/** What a mail server can do wrong with an email that it is offered. */
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
 * The requests that a fault of the bucket concerns: those with this method, or with any. 'any' is
 * drawn more often.
 */
const metMethods = ['any', 'any', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

/**
 * Draws which requests to the bucket a fault concerns: at least half of those with one method, or
 * with any.
 */
function someRequests(random: Draw): (exchange: Exchange) => boolean {
  const met = metMethods[random(metMethods.length)] ?? 'any'
  const percent = 50 + random(51)
  return ({ method }) => (met === 'any' || met === method) && random(100) < percent
}

/** Calls `begin`, which disturbs the connection to the bucket. Restores it after a while. */
function disturb(begin: (network: ChaosProxy, random: Draw) => void): Fault['inject'] {
  return async ({ bucketNetwork }, random) => {
    await wait(random(longestDelayMs))
    if (bucketNetwork) begin(bucketNetwork, random)
    await wait(random(longestAwayMs))
    bucketNetwork?.open()
  }
}

/** Makes a bucket answer some requests with this status, and not do what they ask. */
function answers(status: number): Fault['inject'] {
  return disturb((network, random) => network.answer(status, someRequests(random)))
}

/** What happens to the bucket, the mail server and the disk. */
export const outsideFaults = {
  'the bucket is away': {
    disturbs: ['bucket'],
    weight: 3,
    isIn: hasBucket,
    inject: disturb((network) => network.cut()),
  },
  'the bucket is slow': {
    disturbs: ['bucket'],
    weight: 2,
    isIn: hasBucket,
    async inject({ bucketNetwork }, random) {
      const slowestMs = 1 + random(longestAnswerMs)
      bucketNetwork?.slow(() => random(slowestMs))
    },
  },
  'the bucket stands still': {
    disturbs: ['bucket'],
    weight: 1,
    isIn: hasBucket,
    inject: disturb((network, random) => network.hold(someRequests(random))),
  },
  'the bucket answers 500': {
    disturbs: ['bucket'],
    weight: 3,
    isIn: hasBucket,
    inject: answers(500),
  },
  'the bucket answers 503': {
    disturbs: ['bucket'],
    weight: 3,
    isIn: hasBucket,
    inject: answers(503),
  },
  'answers of the bucket are lost': {
    disturbs: ['bucket'],
    weight: 4,
    isIn: hasBucket,
    inject: disturb((network, random) => network.loseAnswers(someRequests(random))),
  },
  'the mail server is away': {
    disturbs: ['mail'],
    weight: 1,
    async inject({ mailServer, witness }, random) {
      mailServer.leave()
      await hurryMail(witness)
      await wait(random(longestMailMs))
      await mailServer.comeBack()
    },
  },
  'the mail server fails': {
    disturbs: ['mail'],
    weight: 2,
    async inject({ mailServer, witness }, random) {
      const reaction = mailReactions[random(mailReactions.length)] ?? 'drop'
      mailServer.react(reaction)
      const offered = mailServer.offered.length
      await hurryMail(witness)
      const end = performance.now() + longestMailMs
      while (mailServer.offered.length === offered && performance.now() < end) await wait(pollMs)
      mailServer.react('accept')
    },
  },
  'the disk is full': {
    disturbs: ['disk'],
    weight: 8,
    isIn: ({ store }) => store === 'small disk',
    async inject({ smallDisk }, random) {
      await wait(random(longestDelayMs))
      await smallDisk?.fill()
      await wait(random(longestAwayMs))
      await smallDisk?.clear()
    },
  },
  'the disk is full and the server is killed': {
    // The server must be able to start, so Postgres must be there.
    disturbs: ['disk', 'processes', 'database'],
    weight: 3,
    isIn: ({ store }) => store === 'small disk',
    async inject({ server, smallDisk }, random) {
      await smallDisk?.fill()
      await wait(random(longestDelayMs))
      await server.kill()
      // A server that starts needs no space, unless it keeps a database there.
      await server.start()
      await smallDisk?.clear()
    },
  },
} as const satisfies Record<string, Fault>
