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
