import { type CheckResult, checkStatuses } from '../../shared/contract/checks.ts'

const checkDescriptions: Readonly<Record<string, string>> = {
  Database: 'Accounts, links and settings.',
  Storage: 'The contents of files.',
  CORS: 'Browsers may upload straight to the bucket.',
  Clock: 'Server, database and storage agree on the time. Link expiry depends on it.',
  Mail: 'Outgoing email.',
  'Mail: lost emails': 'Emails that were given up.',
  'Mail: waiting emails': 'Emails waiting for a retry.',
  'Free space': 'Free disk space.',
  'Storage cap': 'The limit for all accounts together.',
  'Jobs: expire-files': 'Deletes the contents of expired files.',
  'Jobs: report-overdue': 'Reports contents that should have been deleted.',
  'Jobs: expire-trials': 'Ends expired trials.',
  'Jobs: tell-first-downloads': 'Emails owners about first downloads.',
  'Jobs: tell-ending-links': 'Emails owners about links that expire within a day.',
  'Jobs: sweep-uploads': 'Removes abandoned uploads.',
  'Jobs: compute-digests': 'Computes the SHA-256 of new files and completes takedowns.',
  'Jobs: compare-storage': 'Finds stored objects without a file, and files without contents.',
  'Jobs: remove-lapsed-rows': 'Deletes expired sessions, old reports and other expired rows.',
  'Jobs: remove-old-days': 'Deletes old daily download counts and recipients of links.',
  'Jobs: bytes that should be gone': 'Contents of expired files.',
  'Jobs: files whose bytes are missing': 'Files whose contents are lost.',
  Reports: 'Files reported by visitors.',
  Backups: 'Backups of this installation.',
  Version: 'Version of Mayfly and its environment.',
  Address: 'The public address of this server.',
  Contact: 'The support address.',
  Secrets: 'The keys that sign sessions and presigned URLs.',
  'Rate limits': 'Limits on sign-ins and forms.',
  Proxy: 'Client IP addresses behind a proxy.',
}

/**
 * Returns a check's description. Returns null if the name is unknown because the server is newer
 * than the page.
 */
export function getCheckDescription(name: string): string | null {
  return checkDescriptions[name] ?? null
}

export interface CheckSummary {
  /** Checks that need action, failures before warnings. */
  urgent: CheckResult[]
  passing: CheckResult[]
  /** How many checks are OK, as in '7 of 9 OK'. */
  text: string
}

/** Separates checks that need action from those that are OK. */
export function summarizeChecks(checks: readonly CheckResult[]): CheckSummary {
  const urgent = checkStatuses
    .filter((status) => status !== 'ok')
    .flatMap((status) => checks.filter((check) => check.status === status))
  const passing = checks.filter(({ status }) => status === 'ok')
  return { urgent, passing, text: `${passing.length} of ${checks.length} OK` }
}
