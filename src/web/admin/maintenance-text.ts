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

/** Says of how many files the bytes were removed, and of how many they were not. */
export function expiredFiles(figures: { expiredCount: number; failed: number }): Outcome {
  const { expiredCount, failed } = figures
  const text = `Bytes of ${counted(expiredCount, 'file')} removed`
  if (failed > 0) {
    const note = 'The server tries again by itself. Test the storage connection to see why.'
    return success(`${text}, ${failed.toLocaleString('en')} failed`, note)
  }
  return success(expiredCount === 0 ? `${text}: none was over` : text)
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
