/**
 * Checks tell the administrator whether the server has what it needs. The words of this room:
 * - A *check* is one function. It tries one thing and says what it found.
 * - A *finding* becomes one line of the answer: a status, a sentence about what is, and a cure.
 * - The *visit* is what the request tells about how people reach the server.
 */
import type { CheckStatus } from '../../../shared/contract/checks.ts'
import { messageWithoutValues } from '../../db/without-values.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { codeOf } from '../../start-fault.ts'

/** What a check may use. */
export type CheckDeps = Pick<
  Deps,
  'clock' | 'config' | 'db' | 'log' | 'mailer' | 'settings' | 'stores'
> & {
  /** When this server was started. */
  startedAt: Date
}

/** How the request that asked for the checks came to the server. */
export interface Visit {
  /** The `Host` header. */
  host: string
  /** By what a proxy says that people come, in `X-Forwarded-Proto`; null where it says nothing. */
  scheme: 'http' | 'https' | null
  /** Whether a proxy noted the client's address in `X-Forwarded-For`. */
  isForwarded: boolean
  /** Whether a proxy of the operator seems to have passed the request on. */
  isProxied: boolean
}

/** What a check found. The texts are for a person who runs the server and has not built it. */
export interface Finding {
  /** Tells the lines of one check apart, for instance by the name of a job. */
  about?: string
  status: CheckStatus
  message: string
  /** What to do, with the name of the setting or the command. Empty if the status is ok. */
  cure: string
}

export interface Check {
  name: string
  /**
   * Tries one thing. Returns a finding for each line, and none where the thing is not in use. It
   * may throw or take for ever: that becomes a failing line.
   */
  look(deps: CheckDeps, visit: Visit): Promise<Finding[]> | Finding[]
}

/** How long one part of a check may wait, so that the other parts can still be told. */
export const partLimitMs = 8_000

export function ok(message: string): Finding {
  return { status: 'ok', message, cure: '' }
}

export function warning(message: string, cure: string): Finding {
  return { status: 'warning', message, cure }
}

export function failing(message: string, cure: string): Finding {
  return { status: 'failing', message, cure }
}

const longestReason = 300

/**
 * Returns the reason of a failure in one line, without values of the database. Stores and queries
 * put an error of their own around the one that tells the reason, so that one is told.
 */
export function reasonOf(error: unknown): string {
  const isAround = error instanceof AppError || (error instanceof Error && 'query' in error)
  if (isAround && error.cause instanceof Error) return reasonOf(error.cause)
  const told = [nameOf(error), messageWithoutValues(error)].filter((text) => text !== '')
  return shortReason(told.join(': ') || 'no reason was given')
}

/**
 * Returns what names the kind of an error: that of the storage, or a code of the system where the
 * message is empty. Most errors need no name beside their message.
 */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.message === '') return codeOf(error) ?? error.name
  return '$fault' in error ? error.name : ''
}

/** Makes a reason one line of at most 300 characters, without a full stop. */
export function shortReason(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim().replace(/\.+$/, '')
  return line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line
}

/** Writes a path or a name as one word of a shell command. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
