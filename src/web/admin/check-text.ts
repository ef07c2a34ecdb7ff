import { type CheckLine, checkStatuses } from '../../shared/contract/checks.ts'
import { type SectionId, sectionIds, sectionTitles } from './section.tsx'

/** What each check is about, in plain words. The key is the name of its line. */
const meanings: Readonly<Record<string, string>> = {
  Database: 'Where accounts, links and settings are kept.',
  Storage: 'Where the bytes of files are kept.',
  CORS: 'Whether pages of this server may send files straight to a bucket.',
  Clock: 'Whether all clocks agree: links end by them.',
  Mail: 'Whether emails leave this server.',
  'Mail: lost emails': 'Emails that will not arrive.',
  'Mail: waiting emails': 'Emails that are tried again.',
  'Free space': 'Room on the disk.',
  'Storage cap': 'How much all accounts together may store.',
  'Jobs: expire-files': 'Removes the bytes of files whose time is over.',
  'Jobs: report-overdue': 'Notices bytes that should be gone and are not.',
  'Jobs: expire-trials': 'Ends trials that are over.',
  'Jobs: tell-first-downloads': 'Tells owners of first downloads.',
  'Jobs: tell-ending-links': 'Tells owners of links that end within a day.',
  'Jobs: sweep-uploads': 'Ends uploads that nobody finished, and removes what is left of them.',
  'Jobs: find-blocked-content': 'Completes takedowns, and finds copies of blocked content.',
  'Jobs: compute-digests': 'Computes the SHA-256 of files that were confirmed without one.',
  'Jobs: compare-storage': 'Looks for bytes without a file, and for files without bytes.',
  'Jobs: remove-lapsed-rows': 'Removes what has expired, such as sessions and old reports.',
  'Jobs: remove-old-days': 'Removes old daily counts of downloads.',
  'Jobs: bytes that should be gone': 'Bytes of files that are over.',
  'Jobs: files whose bytes are missing': 'Files that cannot be downloaded any more.',
  Reports: 'Files that visitors have reported.',
  Backups: 'Copies of everything, to restore from.',
  Version: 'The program, and what it runs on.',
  Address: 'The address under which people reach this server.',
  Contact: 'Where people write to for help.',
  Secrets: 'What signs sessions and presigned URLs.',
  'Rate limits': 'How often somebody may try passwords or send forms.',
  Proxy: 'Whether the addresses of clients are known.',
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

/** A part of a cure. If it names a section of the Admin Center, `section` is the section's id. */
export interface CurePart {
  text: string
  section: SectionId | null
  /** Where the text begins in the cure, counted in characters. */
  at: number
}

/** Cures name a section by its title after 'under': 'take files down under Reports'. */
const named = new RegExp(`(?<=\\bunder )(${Object.values(sectionTitles).join('|')})\\b`)

/** Divides the cure of a check, so that the titles of sections can be links. */
export function cureParts(cure: string): CurePart[] {
  let at = 0
  return cure.split(named).map((text) => {
    const section = sectionIds.find((id) => sectionTitles[id] === text) ?? null
    const part = { text, section, at }
    at += text.length
    return part
  })
}
