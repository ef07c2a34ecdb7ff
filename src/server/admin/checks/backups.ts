import { join } from 'node:path'
import { type CheckDeps, type Finding, ok } from './check.ts'

/**
 * Tells the administrator how to back up this server. The server makes no backups, and it cannot
 * see whether somebody else makes them. So the answer is 'ok' with a hint. A warning would stay
 * even if backups are made, and would distract from other warnings.
 */
export function checkBackups({
  config: { dataDir, databaseUrl },
  stores,
}: Pick<CheckDeps, 'config' | 'stores'>): Finding[] {
  const onDisk = stores.current.name === 'disk'
  if (databaseUrl !== null && !onDisk) {
    return [
      ok(
        'Database and bucket are kept elsewhere, so their backups are made there, the database first and the bucket after it; or run "npm run backup FOLDER" for both.',
      ),
    ]
  }
  const place = databaseUrl === null ? dataDir : join(dataDir, 'files')
  return [
    ok(
      `The server makes no backups by itself, and cannot see whether you make any. What only this machine has lies in ${place}. Regularly, while the server runs, run "npm run backup FOLDER" with its settings, each time with a new folder, and keep the folder on another machine. "npm run restore FOLDER" brings it back.`,
    ),
  ]
}
