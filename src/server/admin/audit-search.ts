import { linkCode } from '../../shared/rules/links/short-code.ts'
import { AppError } from '../errors.ts'
import { readAddress } from '../http/client-address.ts'

/** What somebody searches the audit log for. Each kind is looked up in other columns. */
export type AuditSearch =
  /** A user, by the mail address: finds what this user did, and what was done to this user. */
  | { kind: 'email'; email: string }
  /** The same, by the id. The log shows ids of users whose addresses nobody knows any more. */
  | { kind: 'user'; id: string }
  /** The IP address that a request came from, written as the log writes it. */
  | { kind: 'address'; ipAddress: string }
  /** The short code of a link. */
  | { kind: 'link'; shortCode: string }

interface AuditQuery {
  user?: string | undefined
  search?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/**
 * Reads what the audit log is searched for, and from when to when.
 * @throws {AppError} INVALID_INPUT when both `user` and `search` are given, because no index has
 * the lines that match both.
 */
export function readAuditQuery({ user, search, from, to }: AuditQuery): {
  search: AuditSearch | undefined
  from: Date | undefined
  to: Date | undefined
} {
  if (user !== undefined && search) {
    throw new AppError('INVALID_INPUT', { message: 'search: Leave it out where there is `user`.' })
  }
  const momentOf = (text: string | undefined) => (text === undefined ? text : new Date(text))
  const bounds = { from: momentOf(from), to: momentOf(to) }
  if (user !== undefined) return { search: { kind: 'email', email: user }, ...bounds }
  return { search: search ? readSearch(search) : undefined, ...bounds }
}

/**
 * Finds out what a search text is: the whole mail address or id of a user, an IP address in any
 * way of writing, or a link or its short code. A short code keeps its capitals, since each of them
 * counts.
 */
function readSearch(text: string): AuditSearch {
  const shortCode = linkCode(text)
  if (shortCode !== null) return { kind: 'link', shortCode }
  if (text.includes('@')) return { kind: 'email', email: text.toLowerCase() }
  const ipAddress = readAddress(text)
  return ipAddress === null ? { kind: 'user', id: text } : { kind: 'address', ipAddress }
}
