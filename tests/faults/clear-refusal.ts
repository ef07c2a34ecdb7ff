import { type ErrorBody, errorTable } from '../../src/shared/contract/errors.ts'
import { Violation } from './expected-file.ts'

/**
 * Checks an answer with which the server says that it is at fault or cannot serve now. A client
 * must be able to read why, and from a 503 also when to ask again. INTERNAL says neither: it stands
 * for a defect of the program, and no fault of the game may end in it. An answer whose connection
 * breaks before its end says nothing, which is allowed. An answer with a status below 500 is left
 * unread.
 * @throws {Violation} if the body is not that of an error with this status, its code is INTERNAL,
 * or a 503 has no `Retry-After`.
 */
export async function expectClearRefusal(answer: Response): Promise<void> {
  if (answer.status < 500) return
  const text = await answer.text().catch(() => null)
  if (text === null) return
  const fault = faultOf(answer, text)
  if (fault === null) return
  const { pathname } = new URL(answer.url)
  throw new Violation(`${pathname} answered ${answer.status} ${fault}: ${text.slice(0, 200)}`)
}

/** Returns what the answer lacks; null if it lacks nothing. */
function faultOf({ status, headers }: Response, text: string): string | null {
  const { code, message } = bodyOf(text)
  if (code === 'INTERNAL') return 'with the code of a defect'
  const row = Object.entries(errorTable).find(([name]) => name === code)?.[1]
  if (row?.status !== status) return 'without the code of such an error'
  if (typeof message !== 'string' || message === '') return 'without a message'
  const isTold = /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  return status === 503 && !isTold ? 'without Retry-After' : null
}

function bodyOf(text: string): Partial<ErrorBody> {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
