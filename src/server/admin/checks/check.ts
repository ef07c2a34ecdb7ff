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

/** How the request for the checks reached the server. */
export interface RequestInfo {
  /** The `Host` header. */
  host: string
  /** From `X-Forwarded-Proto`; null without that header. */
  scheme: 'http' | 'https' | null
  /** Whether it has the header `X-Forwarded-For`. */
  isForwarded: boolean
  /** Whether it seems to come through the operator's own proxy. */
  isProxied: boolean
  /** Whether TRUST_PROXY covers the address it comes from. */
  isTrusted: boolean
}

/** What a check found, for people who run the server but don't program it. */
export interface Finding {
  /** Distinguishes the lines of one check, for example the name of a job. */
  about?: string
  status: CheckStatus
  message: string
  /** What the administrator should do; empty if the status is ok. */
  cure: string
}

export interface Check {
  name: string
  /** Returns a finding for each line. */
  run(deps: CheckDeps, request: RequestInfo): Promise<Finding[]> | Finding[]
}

/** Shorter than the limit of a whole check, so that a slow part doesn't hide the other parts. */
export const partLimitMs = 8_000

export function ok(message: string): Finding {
  return { status: 'ok', message, cure: '' }
}

/** A finding that something may fail or hide a failure. */
export function warning(message: string, remedy: string): Finding {
  return { status: 'warning', message, cure: remedy }
}

/** A finding that something doesn't work. */
export function failing(message: string, remedy: string): Finding {
  return { status: 'failing', message, cure: remedy }
}

const longestReason = 300

/**
 * Returns the reason of an error, or of its cause, in one line without values from the database.
 */
export function reasonOf(error: unknown): string {
  const isAround = error instanceof AppError || (error instanceof Error && 'query' in error)
  if (isAround && error.cause instanceof Error) return reasonOf(error.cause)
  const told = [nameOf(error), redactedMessage(error)].filter((text) => text !== '')
  return shortReason(told.join(': ') || 'no reason was given')
}

/** Returns the name that storage gave an error, or the code of an error without a message. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.message === '') return codeOf(error) ?? error.name
  return '$fault' in error ? error.name : ''
}

/** Shortens a reason to one line without the full stop at its end. */
export function shortReason(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim().replace(/\.+$/, '')
  return line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line
}

/** Quotes a path or a name so that a shell reads it as one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
