import type { ErrorBody, ErrorCode } from '../../src/shared/contract/errors.ts'
import { expectClearRefusal } from './clear-refusal.ts'
import { Violation } from './expected-file.ts'

/**
 * What players ask for, and the refusals that are right although the server works. A free user has
 * too many files or may not renew, a file was deleted before or its bytes are gone, or a link is
 * over. An upload that was interrupted may be over, or sealed by a confirm whose answer was lost.
 * After 15 minutes without activity it no longer counts against the limit of files, so others may
 * have taken its place.
 */
const refusals = {
  'start an upload': ['TIER_FILE_COUNT'],
  'send bytes': ['SIGNATURE_EXPIRED', 'UPLOAD_SEALED', 'UPLOAD_NOT_FOUND'],
  confirm: ['TIER_FILE_COUNT', 'UPLOAD_INCOMPLETE', 'UPLOAD_NOT_FOUND', 'UPLOAD_SUPERSEDED'],
  download: ['LINK_NOT_FOUND'],
  renew: ['TIER_RENEWAL', 'FILE_NOT_FOUND', 'FILE_GONE'],
  delete: ['FILE_NOT_FOUND'],
  'change the password': [],
  'log in': ['INVALID_CREDENTIALS'],
} as const satisfies Record<string, readonly ErrorCode[]>

export type Step = keyof typeof refusals
export const steps = Object.keys(refusals) as Step[]

/** Somebody who asks the server. */
export interface Asker {
  /** The origin of the server. */
  url: string
  /** How often each step succeeded. */
  succeeded: Map<Step, number>
  /**
   * Whether the session may be over without the player knowing. That is so after a change of the
   * password whose answer was lost.
   */
  mayBeSignedOut(): boolean
}

/**
 * Sends a request. Returns null if nobody can know whether the server did what was asked: the
 * connection broke, or the server answered with a fault of its own.
 * @throws {Violation} if the server is at fault and does not say so clearly, or refuses what it
 * must not refuse. What a bucket answers is not checked.
 */
export async function ask(
  asker: Asker,
  step: Step,
  request: () => Promise<Response>,
): Promise<Response | null> {
  const response = await request().catch(() => null)
  if (response === null) return null
  const isOurs = new URL(response.url).origin === asker.url
  if (response.status >= 500) {
    if (isOurs) await expectClearRefusal(response)
    else await response.arrayBuffer().catch(() => {})
    return null
  }
  if (response.status >= 400) {
    if (isOurs) await expectRightRefusal(asker, step, response.clone())
  } else asker.succeeded.set(step, (asker.succeeded.get(step) ?? 0) + 1)
  return response
}

async function expectRightRefusal(asker: Asker, step: Step, answer: Response): Promise<void> {
  const body = await answer.text().catch(() => null)
  // The connection broke before the end of the answer.
  if (body === null) return
  const { code } = JSON.parse(body) as ErrorBody
  if (refusals[step].some((right) => right === code)) return
  if (code === 'UNAUTHORIZED' && asker.mayBeSignedOut()) return
  throw new Violation(`to ${step} was refused with ${answer.status} ${code}`)
}
