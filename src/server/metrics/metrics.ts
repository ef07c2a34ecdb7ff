import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { storageNames } from '../../shared/rules/files/storage-name.ts'
import type { DiskSpace } from '../space/disk-space.ts'
import { storageOperations } from '../storage/count-errors.ts'
import { type TransferMeter, transferDirections, transferOutcomes } from '../storage/transfers.ts'
import { createHttpMetrics } from './http-metrics.ts'

/**
 * The metrics that Prometheus scrapes at `GET /metrics`. Label values come from a closed set, so
 * that clients can't exhaust the memory with new series.
 *
 * Error counters start at 0, because Prometheus sees no increase in the first value of a series.
 */

/** The content type of the response to a scrape. */
export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE

/**
 * Sampling resolution for the event loop delay. A finer resolution would wake an idle server more
 * often.
 */
const eventLoopPrecisionMs = 20

export const jobOutcomes = ['done', 'failed'] as const
type JobOutcome = (typeof jobOutcomes)[number]

/**
 * The outcomes of an attempt to send an email: after `failed` it is retried, after `refused` it
 * isn't.
 */
export const emailOutcomes = ['sent', 'failed', 'refused'] as const
type EmailOutcome = (typeof emailOutcomes)[number]

export type Metrics = ReturnType<typeof createMetrics>

/** Creates this process's metrics. Other modules add gauges and update them before a scrape. */
export function createMetrics() {
  const registry = new Registry()
  const collectors: (() => Promise<void>)[] = []
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopPrecisionMs })
  const jobSeconds = new Histogram({
    name: 'mayfly_job_duration_seconds',
    help: 'Runs of jobs by this process, by outcome.',
    labelNames: ['job', 'outcome'],
    buckets: [0.1, 1, 10, 60, 600, 3600],
    registers,
  })
  const emails = new Counter({
    name: 'mayfly_mails_total',
    help: 'Emails: sent, failed (to be retried), refused (not retried).',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of emailOutcomes) emails.inc({ outcome }, 0)
  const storageErrors = new Counter({
    name: 'mayfly_storage_errors_total',
    help: 'Failed operations on a store: no answer, an unexpected answer, a failing disk.',
    labelNames: ['store', 'operation'],
    registers,
  })
  for (const store of storageNames) {
    for (const operation of storageOperations) storageErrors.inc({ store, operation }, 0)
  }

  return {
    registry,
    http: createHttpMetrics(registers),
    transfers: createTransferMetrics(registers),
    storageErrors,

    /** Measures a job's run. Call the returned function when the run ends. */
    startJob(job: string): (outcome: JobOutcome) => void {
      const stopTimer = jobSeconds.startTimer({ job })
      return (outcome) => void stopTimer({ outcome })
    },

    recordEmail: (outcome: EmailOutcome): void => emails.inc({ outcome }),

    gauge<Label extends string>(
      name: `mayfly_${string}`,
      help: string,
      labelNames: Label[] = [],
    ): Gauge<Label> {
      return new Gauge({ name, help, labelNames, registers: [registry] })
    },

    /**
     * Registers a callback that every scrape awaits first. It must not reject, nor wait between
     * resetting a gauge and setting it, because another scrape could then miss the gauge.
     */
    beforeScrape(read: () => Promise<void>): void {
      collectors.push(read)
    },

    async scrape(): Promise<string> {
      await Promise.all(collectors.map((read) => read()))
      return registry.metrics()
    },
  }
}

/**
 * Counts transfers through this server. Transfers directly between clients and a bucket aren't
 * counted.
 */
function createTransferMetrics(registers: Registry[]): TransferMeter {
  const byteCounter = new Counter({
    name: 'mayfly_transfer_bytes_total',
    help: 'Bytes of files on the disk that were received or sent.',
    labelNames: ['direction'],
    registers,
  })
  const transferCounter = new Counter({
    name: 'mayfly_transfers_total',
    help: 'Transfers: complete, cut (the client disconnected), refused, failed.',
    labelNames: ['direction', 'outcome'],
    registers,
  })
  for (const direction of transferDirections) {
    for (const outcome of transferOutcomes) transferCounter.inc({ direction, outcome }, 0)
  }
  const runningTransfers = new Gauge({
    name: 'mayfly_transfers_running',
    help: 'Running transfers.',
    labelNames: ['direction'],
    registers,
  })
  for (const direction of transferDirections) runningTransfers.set({ direction }, 0)
  const counters = {
    download: byteCounter.labels({ direction: 'download' }),
    upload: byteCounter.labels({ direction: 'upload' }),
  }
  return {
    addBytes: (direction, count) => counters[direction].inc(count),
    startTransfer(direction) {
      runningTransfers.inc({ direction })
      return (outcome) => {
        runningTransfers.dec({ direction })
        transferCounter.inc({ direction, outcome })
      }
    },
  }
}

/** Adds metrics about the database connection pool. */
export function watchPool(metrics: Metrics, pool: pg.Pool): void {
  const connections = metrics.gauge(
    'mayfly_database_connections',
    'Connections to the database: used, idle, and their maximum.',
    ['state'],
  )
  const waitingCallers = metrics.gauge(
    'mayfly_database_waiting',
    'Callers waiting for a database connection.',
  )
  metrics.beforeScrape(async () => {
    const { totalCount, idleCount, waitingCount, options } = pool
    connections.set({ state: 'used' }, totalCount - idleCount)
    connections.set({ state: 'idle' }, idleCount)
    connections.set({ state: 'most' }, options.max)
    waitingCallers.set(waitingCount)
  })
}

/**
 * Adds metrics about the free disk space, including the space for uploads if `store` is the disk.
 */
export function watchSpace(
  metrics: Metrics,
  space: Pick<DiskSpace, 'freeBytes' | 'availableBytes'>,
  store: StorageName,
): void {
  const freeSpace = metrics.gauge('mayfly_disk_free_bytes', 'Free space of the disk of DATA_DIR.')
  metrics.beforeScrape(async () => freeSpace.set(space.freeBytes()))
  if (store !== 'disk') return
  const uploadSpace = metrics.gauge(
    'mayfly_disk_upload_room_bytes',
    'Space left for uploads. Below 0, uploads to the disk are refused.',
  )
  metrics.beforeScrape(async () => uploadSpace.set(space.availableBytes()))
}
