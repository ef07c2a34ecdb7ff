import type pg from 'pg'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { DiskSpace } from '../space/disk-space.ts'
import type { Metrics } from './metrics.ts'

/** Adds metrics of the pool of database connections. */
export function watchPool(metrics: Metrics, pool: pg.Pool): void {
  const connections = metrics.gauge(
    'mayfly_database_connections',
    'Connections to the database: used and idle ones, and the most there may be.',
    ['state'],
  )
  const waiting = metrics.gauge(
    'mayfly_database_waiting',
    'Callers that wait for a connection to the database.',
  )
  metrics.beforeScrape(async () => {
    const { totalCount, idleCount, waitingCount, options } = pool
    connections.set({ state: 'used' }, totalCount - idleCount)
    connections.set({ state: 'idle' }, idleCount)
    connections.set({ state: 'most' }, options.max)
    waiting.set(waitingCount)
  })
}

/**
 * Adds metrics of the free space of the disk that holds the data folder.
 * @param store where new files are kept. Uploads to a bucket need no room on the disk.
 */
export function watchSpace(
  metrics: Metrics,
  space: Pick<DiskSpace, 'freeBytes' | 'availableBytes'>,
  store: StorageName,
): void {
  const free = metrics.gauge('mayfly_disk_free_bytes', 'Free space of the disk of DATA_DIR.')
  metrics.beforeScrape(async () => free.set(space.freeBytes()))
  if (store !== 'disk') return
  const available = metrics.gauge(
    'mayfly_disk_upload_room_bytes',
    'What uploads may still take. Below 0, uploads to the disk are refused.',
  )
  metrics.beforeScrape(async () => available.set(space.availableBytes()))
}
