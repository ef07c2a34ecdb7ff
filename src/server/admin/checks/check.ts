/**
 * Checks tell the administrator whether the server has what it needs. The words of this room:
 * - A *check* is a function that looks at one thing and returns findings.
 * - A *finding* becomes one line in the Admin Center: a status, a sentence about the state, and a
 *   cure.
 * - The *visit* is what the request tells about how people reach the server.
 */
import type { CheckStatus } from '../../../shared/contract/checks.ts'
import type { Deps } from '../../deps.ts'
import { AppError, codeOf } from '../../errors.ts'
import { redactedMessage } from '../../logging/redact.ts'

/** What a check may use. */
export type CheckDeps = Pick<
  Deps,
  | 'clock'
  | 'config'
  | 'db'
  | 'log'
  | 'mailer'
  | 'maxDatabaseConnections'
  | 'settings'
  | 'space'
  | 'stores'
> & {
  /** When this server was started. */
  startedAt: Date
}

/** How the request that asked for the checks came to the server. */
export interface Visit {
  /** The `Host` header. */
  host: string
  /**
   * The protocol of the browser's request, as a proxy states it in `X-Forwarded-Proto`. null
   * without that header.
   */
  scheme: 'http' | 'https' | null
  /** Whether the header `X-Forwarded-For` is there. A proxy notes the client's address in it. */
  isForwarded: boolean
  /** Whether the request seems to come through a proxy that the operator runs. */
  isProxied: boolean
  /** Whether TRUST_PROXY names the address that the request comes from. */
  isTrusted: boolean
}

/**
 * What a check found. Its texts must be plain to a person who runs the server but has not
 * programmed it.
 */
export interface Finding {
  /** Distinguishes the lines of one check. It is, for example, the name of a job. */
  about?: string
  status: CheckStatus
  message: string
  /**
   * What the administrator should do, with the name of the setting or the command. Empty if the
   * status is ok.
   */
  cure: string
}

export interface Check {
  name: string
  /**
   * Looks at one thing and returns one finding for each line. If this function throws or never
   * ends, the line says that the check failed.
   */
  look(deps: CheckDeps, visit: Visit): Promise<Finding[]> | Finding[]
}

/**
 * How long one part of a check may take. It is shorter than the limit of the whole check, so a slow
 * part does not hide what the other parts found.
 */
export const partLimitMs = 8_000

/** A finding that all is well. */
export function ok(message: string): Finding {
  return { status: 'ok', message, cure: '' }
}

/** A finding that something may become or hide a fault. `cure` says what to do about it. */
export function warning(message: string, cure: string): Finding {
  return { status: 'warning', message, cure }
}

/** A finding that something does not work. `cure` says what to do about it. */
export function failing(message: string, cure: string): Finding {
  return { status: 'failing', message, cure }
}

const longestReason = 300

/**
 * Returns the reason of an error in one line, without values from the database. Stores and queries
 * throw an error of their own, whose cause has the reason. Then this function returns the reason of
 * the cause.
 */
export function reasonOf(error: unknown): string {
  const isAround = error instanceof AppError || (error instanceof Error && 'query' in error)
  if (isAround && error.cause instanceof Error) return reasonOf(error.cause)
  const told = [nameOf(error), redactedMessage(error)].filter((text) => text !== '')
  return shortReason(told.join(': ') || 'no reason was given')
}

/**
 * Returns a name for the kind of an error: the name that storage gave it, or a code of the system
 * if the error has no message. For any other error it returns '', because the message is enough.
 */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.message === '') return codeOf(error) ?? error.name
  return '$fault' in error ? error.name : ''
}

/**
 * Shortens a reason to one line of at most 300 characters, and removes the full stop at its end.
 */
export function shortReason(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim().replace(/\.+$/, '')
  return line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line
}

/** Quotes a path or a name so that a shell reads it as one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
