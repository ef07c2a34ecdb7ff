import { counted } from '../../shared/rules/counted.ts'

/** The result of a maintenance action, in words for the administrator. */
export interface Outcome {
  ok: boolean
  /** What the action did, in figures. After a failure, it is the text of spec §8. */
  text: string
  /** More about the result, or what to do about a failure. */
  note?: string
}

function success(text: string, note?: string): Outcome {
  return { ok: true, text, ...(note && { note }) }
}

/** Says how many things an action changed. If it changed none, it also says why. */
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

/**
 * Returns the result of a test. The server tells whether the test succeeded, and explains it in
 * `message`.
 */
export function tested(isOk: boolean, done: string, failure: string, message: string): Outcome {
  return isOk ? success(done, message) : { ok: false, text: failure, note: message }
}
