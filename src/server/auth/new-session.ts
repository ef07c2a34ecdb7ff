import { sessionEnd } from '../../shared/rules/session-life.ts'

/** A header between us and Better Auth, which passes nothing else on to a new session. */
const addressHeader = 'x-mayfly-client-address'

/** The longest `User-Agent` that is kept. Browsers send some 150 characters. */
const maxUserAgentLength = 400

/** Which browser uses a session, and from where, as far as the server can tell. */
export interface SessionUse {
  userAgent: string | null
  ipAddress: string | null
}

/** Returns what the row of a session records about a request. */
export function sessionUse(headers: Headers, clientAddress: string): SessionUse {
  const userAgent = headers.get('user-agent')?.slice(0, maxUserAgentLength).trim()
  return { userAgent: userAgent || null, ipAddress: clientAddress }
}

/**
 * Returns the headers for a call of Better Auth that opens a session. They hold only what the row
 * records: a stale cookie must not influence a fresh login.
 */
export function sessionHeaders(headers: Headers, clientAddress: string): Headers {
  const { userAgent } = sessionUse(headers, clientAddress)
  const kept = new Headers({ [addressHeader]: clientAddress })
  if (userAgent) kept.set('user-agent', userAgent)
  return kept
}

/**
 * Returns the columns of a new session that our program decides.
 * @param headers the headers from `sessionHeaders`, with which Better Auth was called.
 */
export function newSession(headers: Headers | undefined, now: Date) {
  return {
    createdAt: now,
    updatedAt: now,
    expiresAt: sessionEnd({ createdAt: now, lastSeenAt: now }),
    userAgent: headers?.get('user-agent') ?? null,
    ipAddress: headers?.get(addressHeader) ?? null,
  }
}
