import type { CheckStatus } from '../../../shared/contract/checks.ts'
import type { Deps } from '../../deps.ts'
import { AppError, codeOf } from '../../errors.ts'
import { redactedMessage } from '../../logging/redact.ts'

/** The dependencies of the checks. */
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
  /** When this server started. */
  startedAt: Date
}

/** How the request for the checks reached the server. */
export interface RequestInfo {
  /** The `Host` header. */
  host: string
  /** From `X-Forwarded-Proto`; null without that header. */
  scheme: 'http' | 'https' | null
  /** True if the request has an `X-Forwarded-For` header. */
  isForwarded: boolean
  /** True if the request seems to come through the operator's own proxy. */
  isProxied: boolean
  /** True if TRUST_PROXY covers the peer address. */
  isTrusted: boolean
}

/** The result of a check, worded for administrators who aren't programmers. */
export interface Finding {
  /** Distinguishes several findings of one check, such as a job's name. */
  about?: string
  status: CheckStatus
  message: string
  /** What the administrator should do; empty if the status is ok. */
  cure: string
}

export interface Check {
  name: string
  /** Returns one finding per line. */
  run(deps: CheckDeps, request: RequestInfo): Promise<Finding[]> | Finding[]
}

/**
 * Shorter than the time limit of a check, so that a slow step doesn't hide the results of the other
 * steps.
 */
export const stepTimeoutMs = 8_000

export function ok(message: string): Finding {
  return { status: 'ok', message, cure: '' }
}

/** A finding about something that may fail or hide a failure. */
export function warning(message: string, remedy: string): Finding {
  return { status: 'warning', message, cure: remedy }
}

/** A finding about something that doesn't work. */
export function failing(message: string, remedy: string): Finding {
  return { status: 'failing', message, cure: remedy }
}

const maxReasonLength = 300

/**
 * Returns the message of an error, or of its cause for our own errors and failed queries, as one
 * line without database values.
 */
export function reasonOf(error: unknown): string {
  const isWrapper = error instanceof AppError || (error instanceof Error && 'query' in error)
  if (isWrapper && error.cause instanceof Error) return reasonOf(error.cause)
  const parts = [nameOf(error), redactedMessage(error)].filter((text) => text !== '')
  return shortenReason(parts.join(': ') || 'no reason was given')
}

/** Returns the error name assigned by storage, or the code of an error without a message. */
function nameOf(error: unknown): string {
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
