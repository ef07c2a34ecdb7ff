import { type CheckLine, checkStatuses } from '../../shared/contract/checks.ts'

export interface CheckSummary {
  /** The lines that ask the administrator to act, failing ones first. */
  urgent: CheckLine[]
  fine: CheckLine[]
  /** How many lines are OK. Example: '7 of 9 OK'. */
  text: string
}

/**
 * Divides the lines of the checks into those that ask the administrator to act and those that are
 * OK.
 */
export function summarise(lines: readonly CheckLine[]): CheckSummary {
  const urgent = checkStatuses
    .filter((status) => status !== 'ok')
    .flatMap((status) => lines.filter((line) => line.status === status))
  const fine = lines.filter(({ status }) => status === 'ok')
  return { urgent, fine, text: `${fine.length} of ${lines.length} OK` }
}
