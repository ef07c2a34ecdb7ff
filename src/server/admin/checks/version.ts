import { readFile } from 'node:fs/promises'
import { readMigrations } from '../../db/migrate.ts'
import { packageFile } from '../../package-files.ts'
import { type CheckDeps, type Finding, failing, ok, warning } from './check.ts'
import { readDatabase } from './queries.ts'

const nodeMajor = 24

/**
 * Reports the versions of Mayfly, Node and Postgres, and checks that all migrations have been
 * applied to the database.
 */
export async function checkVersion({ db }: Pick<CheckDeps, 'db'>): Promise<Finding[]> {
  const [migrations, { version: postgres }, text] = await Promise.all([
    readMigrations(db),
    readDatabase(db),
    readFile(packageFile, 'utf8'),
  ])
  const { version } = JSON.parse(text) as { version: string }
  const versionText = `Mayfly ${version} runs on Node ${process.versions.node} and Postgres ${postgres}`
  const { missing, unknown, applied } = migrations
  if (missing.length > 0) {
    return [
      failing(
        `${versionText}, but the database lacks ${missing.length} of its migrations (${missing.join(', ')}).`,
        'Restart the server, which applies them. If it does not start, its message says why.',
      ),
    ]
  }
  if (unknown > 0) {
    return [
      failing(
        `${versionText}, but the database is from a newer version (${unknown} unknown migrations).`,
        'Start the newer version, or restore a backup from before the upgrade.',
      ),
    ]
  }
  if (!process.versions.node.startsWith(`${nodeMajor}.`)) {
    return [
      warning(
        `${versionText}. It is made for Node ${nodeMajor}.`,
        `Install Node ${nodeMajor}, or start it with "npm start", which brings it.`,
      ),
    ]
  }
  return [ok(`${versionText}. The database has all its migrations (${applied}).`)]
}
