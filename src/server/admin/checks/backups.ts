import { basename, dirname, join } from 'node:path'
import { type CheckDeps, type Finding, ok, quoted } from './check.ts'

const unseen = 'The server makes no backups by itself, and cannot see whether you make any.'

/**
 * Tells the administrator how to back up this server. The server makes no backups, and it cannot
 * see whether somebody else makes them. So the answer is 'ok' with a hint: a warning that no backup
 * removes would hide other warnings.
 */
export function checkBackups({
  config: { dataDir, databaseUrl },
  stores,
}: Pick<CheckDeps, 'config' | 'stores'>): Finding[] {
  const onDisk = stores.current.name === 'disk'
  if (databaseUrl === null) {
    const what = onDisk ? 'Everything' : 'The database'
    const files = onDisk ? '' : ' Copy the bucket after it.'
    return [
      ok(
        `${unseen} ${what} lies in ${dataDir}. Regularly stop the server, run "tar -C ${quoted(dirname(dataDir))} -czpf mayfly.tar.gz ${quoted(basename(dataDir))}", start it again, and keep the archive on another machine.${files} A copy of the running database is no backup.`,
      ),
    ]
  }
  const dump = 'run "pg_dump --format=custom --file=mayfly.dump" with the address of DATABASE_URL'
  if (onDisk) {
    return [
      ok(
        `${unseen} The rows are in the database of DATABASE_URL, the files in ${join(dataDir, 'files')}. Regularly, while it runs, ${dump}, and after it "tar -C ${quoted(dataDir)} -czpf mayfly-files.tar.gz files". Save ${quoted(join(dataDir, 'secret'))} once, unless AUTH_SECRET is set.`,
      ),
    ]
  }
  return [
    ok(
      `Database and bucket are kept elsewhere, so their backups are made there: ${dump} first, and copy the bucket after it.`,
    ),
  ]
}
