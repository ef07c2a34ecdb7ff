import { sessionEnd } from '../../shared/rules/accounts/session-life.ts'

/**
 * A header that only our code sets. It tells `newSession` the client's address: when Better Auth
 * makes a session, it passes on nothing but the headers of the call.
 */
const addressHeader = 'x-mayfly-client-address'

/** At most this many characters of the header `User-Agent` are stored. Browsers send some 150. */
const maxUserAgentLength = 400

/** Which browser uses a session, and from which address, as far as the server can tell. */
export interface SessionUse {
  userAgent: string | null
  ipAddress: string | null
}

/** Returns what the row of a session stores about a request. */
export function sessionUse(headers: Headers, clientAddress: string): SessionUse {
  const userAgent = headers.get('user-agent')?.slice(0, maxUserAgentLength).trim()
  return { userAgent: userAgent || null, ipAddress: clientAddress }
}

/**
 * Returns the headers for a call of Better Auth that opens a session. They contain only what the
 * row stores. An old cookie in the request must not influence the new login.
 */
export function sessionHeaders(headers: Headers, clientAddress: string): Headers {
  const { userAgent } = sessionUse(headers, clientAddress)
  const kept = new Headers({ [addressHeader]: clientAddress })
  if (userAgent) kept.set('user-agent', userAgent)
  return kept
}

/**
 * Returns the columns of a new session that our code decides and Better Auth does not.
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
