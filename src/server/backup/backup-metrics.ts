import type { Deps } from '../deps.ts'
import { inTime } from '../http/in-time.ts'
import { findLastBackup } from './queries.ts'

/** A scrape waits this long for the database. After that, it leaves out the figure. */
const readMs = 2000

/**
 * Adds the time of the last backup that the database knows of to the metrics. It is 0 if there is
 * none, so that a rule about its age also fires then. While the database does not answer, it is
 * absent.
 */
export function watchBackups({ db, metrics }: Pick<Deps, 'db' | 'metrics'>): void {
  const made = metrics.gauge(
    'mayfly_last_backup_timestamp_seconds',
    'When the last backup was made that the database knows of; 0 if it knows of none.',
  )
  metrics.beforeScrape(async () => {
    made.remove()
    const found = await inTime(findLastBackup(db), readMs).catch(() => undefined)
    if (found === undefined) return
    made.set(found === null ? 0 : Date.parse(found.madeAt) / 1000)
  })
}
