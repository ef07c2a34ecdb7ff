import type { CheckStatus } from '../../../shared/contract/checks.ts'
import type { Deps } from '../../deps.ts'
import { AppError, codeOf } from '../../errors.ts'
import { redactedMessage } from '../../logging/redact.ts'

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
  /** When this server process started. */
  startedAt: Date
}

/** How the HTTP request for the checks reached the server. */
export interface RequestInfo {
  /** The `Host` header. */
  host: string
  /** The scheme in `X-Forwarded-Proto`. Null if the header is missing. */
  scheme: 'http' | 'https' | null
  /** True if the request has an `X-Forwarded-For` header. */
  isForwarded: boolean
  /** True if the request seems to have passed through the operator's own proxy. */
  isProxied: boolean
  /** True if `TRUST_PROXY` includes the address that the connection comes from. */
  isTrusted: boolean
}

/** The result of a check, worded for administrators who aren't programmers. */
export interface Finding {
  /** Tells the findings of one check apart. For example, it may be the name of a job. */
  about?: string
  status: CheckStatus
  message: string
  /** Instructions for the administrator. Empty if the status is ok. */
  cure: string
}

export interface Check {
  name: string
  /** Each finding becomes a line in the Admin Center. */
  run(deps: CheckDeps, request: RequestInfo): Promise<Finding[]> | Finding[]
}

/**
 * Time limit for one step of a check. It is shorter than the time limit for the whole check, so one
 * slow step doesn't hide the results of the others.
 */
export const stepTimeoutMs = 8_000

export function ok(message: string): Finding {
  return { status: 'ok', message, cure: '' }
}

/** Creates a finding about something that may fail, or that could fail unnoticed. */
export function warning(message: string, remedy: string): Finding {
  return { status: 'warning', message, cure: remedy }
}

/** Creates a finding about something that doesn't work. */
export function failing(message: string, remedy: string): Finding {
  return { status: 'failing', message, cure: remedy }
}

const maxReasonLength = 300

/**
 * Returns an error's message on one line, without database values. If the error is one of ours or a
 * failed query, returns the message of its cause instead.
 */
export function describeError(error: unknown): string {
  const isWrapper = error instanceof AppError || (error instanceof Error && 'query' in error)
  if (isWrapper && error.cause instanceof Error) return describeError(error.cause)
  const parts = [findErrorName(error), redactedMessage(error)].filter((text) => text !== '')
  return shortenReason(parts.join(': ') || 'no reason was given')
}

/**
 * For an error from the S3 library, returns its name. For an error without a message, returns its
 * code or name. Otherwise, returns an empty string.
 */
function findErrorName(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.message === '') return codeOf(error) ?? error.name
  return '$fault' in error ? error.name : ''
}

/** Shortens a reason to one line without trailing periods. */
export function shortenReason(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim().replace(/\.+$/, '')
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength - 1)}…` : line
}

/** Quotes a word for a POSIX shell if necessary. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
