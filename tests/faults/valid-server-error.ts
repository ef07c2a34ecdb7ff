import { type ErrorBody, errorTable } from '../../src/shared/contract/errors.ts'
import { Violation } from './expected-file.ts'

/**
 * Checks a 5xx response. Its body must contain a message and a known error code that goes with this
 * status, and a 503 needs a Retry-After header. INTERNAL is rejected, because it indicates a bug,
 * which no fault may trigger. Truncated responses and other statuses pass.
 * @throws {Violation} if the response is malformed.
 */
export async function expectValidServerError(response: Response): Promise<void> {
  if (response.status < 500) return
  const text = await response.text().catch(() => null)
  if (text === null) return
  const problem = findProblem(response, text)
  if (problem === null) return
  const { pathname } = new URL(response.url)
  throw new Violation(`${pathname} answered ${response.status} ${problem}: ${text.slice(0, 200)}`)
}

/** Describes what is wrong with the response, or returns null. */
function findProblem({ status, headers }: Response, text: string): string | null {
  const { code, message } = parseBody(text)
  if (code === 'INTERNAL') return 'with the code of a defect'
  const tableEntry = Object.entries(errorTable).find(([name]) => name === code)?.[1]
  if (tableEntry?.status !== status) return 'without the code of such an error'
  if (typeof message !== 'string' || message === '') return 'without a message'
  const hasRetryAfter = /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  return status === 503 && !hasRetryAfter ? 'without Retry-After' : null
}

function parseBody(text: string): Partial<ErrorBody> {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
