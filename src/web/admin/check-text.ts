import { type CheckLine, checkStatuses } from '../../shared/contract/checks.ts'
import { type SectionId, sectionIds, sectionTitles } from './section.tsx'

/** What each check is about, in plain words. The key is the name of its line. */
const meanings: Readonly<Record<string, string>> = {
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
  'Jobs: remove-old-days': 'Deletes old daily download counts.',
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
 * Says what a check is about. Returns null for a name that this page does not know: the server may
 * be newer than the page.
 */
export function checkMeaning(name: string): string | null {
  return meanings[name] ?? null
}

export interface CheckSummary {
  /** The lines that ask the administrator to act, failing ones first. */
  urgent: CheckLine[]
  fine: CheckLine[]
  /** How many lines are OK. Example: '7 of 9 OK'. */
  text: string
}

/**
 * Divides the lines of the checks into those that ask the administrator to act and those that are
 * OK.
 */
export function summarise(lines: readonly CheckLine[]): CheckSummary {
  const urgent = checkStatuses
    .filter((status) => status !== 'ok')
    .flatMap((status) => lines.filter((line) => line.status === status))
  const fine = lines.filter(({ status }) => status === 'ok')
  return { urgent, fine, text: `${fine.length} of ${lines.length} OK` }
}

/** A part of a check's remedy. `section` is set if it names a section of the Admin Center. */
export interface CurePart {
  text: string
  section: SectionId | null
  /** The position of the text in the remedy, in characters. */
  at: number
}

/** Remedies name a section by its title after 'under': 'take files down under Reports'. */
const named = new RegExp(`(?<=\\bunder )(${Object.values(sectionTitles).join('|')})\\b`)

/** Splits a check's remedy, so that titles of sections can be links. */
export function cureParts(cure: string): CurePart[] {
  let at = 0
  return cure.split(named).map((text) => {
    const section = sectionIds.find((id) => sectionTitles[id] === text) ?? null
    const part = { text, section, at }
    at += text.length
    return part
  })
}
