import { counted } from './counted.ts'

/** What an act of maintenance did, as the administrator reads it. */
export interface Outcome {
  ok: boolean
  /** What it did, in figures; of a failure the text of spec §8. */
  text: string
  /** More about it, or what to do about a failure. */
  note?: string
}

function success(text: string, note?: string): Outcome {
  return { ok: true, text, ...(note && { note }) }
}

/** Says how many things were changed, and why it were none. */
function figure(count: number, one: string, did: string): Outcome {
  return success(`${counted(count, one)} ${did}${count === 0 ? ': none was over' : ''}`)
}

export function cleanedUp({ deletedCount }: { deletedCount: number }): Outcome {
  return figure(deletedCount, 'file', 'deleted')
}

export function expiredFiles({ expiredCount }: { expiredCount: number }): Outcome {
  return figure(expiredCount, 'file', 'expired')
}

export function expiredTrials({ expiredCount }: { expiredCount: number }): Outcome {
  return figure(expiredCount, 'trial', 'ended')
}

export function sanitized({ updated, errors }: { updated: number; errors: number }): Outcome {
  return success(`${counted(updated, 'name')} changed, ${counted(errors, 'error')}`)
}

/** A test that answers whether it succeeded, and a sentence about it. */
export function tested(isOk: boolean, done: string, failure: string, message: string): Outcome {
  return isOk ? success(done, message) : { ok: false, text: failure, note: message }
}
