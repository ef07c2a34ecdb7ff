import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { storageNames } from '../../shared/rules/files/storage-name.ts'
import type { DiskSpace } from '../space/disk-space.ts'
import { storageOperations } from '../storage/count-errors.ts'
import {
  type TransferDirection,
  type TransferMeter,
  transferDirections,
  transferOutcomes,
} from '../storage/disk/transfer-meter.ts'
import { httpMetrics } from './http-metrics.ts'

/**
 * The figures that Prometheus reads at `GET /metrics`. The words of this room:
 * - A *metric* has a name and counts or measures one thing. Its *labels* divide it into *series*.
 * - A *scrape* is one reading of all metrics.
 * Every label has a closed set of values, such as the declared paths. Text that clients send is
 * never a label, or clients could fill the memory with series.
 *
 * The counters of faults have their series from the start, at 0. Otherwise the first scrape after a
 * burst of faults would be the first value of a series, and Prometheus would see no increase.
 */

/** The media type of the text that `scrape` returns. */
export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE

/**
 * How exactly the delay of the event loop is measured, in milliseconds. A finer measurement would
 * wake an idle server more often.
 */
const eventLoopPrecisionMs = 20

/** How a run of a job can end. */
export const jobOutcomes = ['done', 'failed'] as const
type JobOutcome = (typeof jobOutcomes)[number]

/** How a try to send an email can end. `failed`: it is tried again. `refused`: it is given up. */
export const mailOutcomes = ['sent', 'failed', 'refused'] as const
type MailOutcome = (typeof mailOutcomes)[number]

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Creates the metrics of this process. Other modules can add gauges with `gauge`, for example for
 * the database. A module whose gauge must be read anew for each scrape passes a callback to
 * `beforeScrape`.
 */
export function createMetrics() {
  const registry = new ReadRegistry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopPrecisionMs })
  const jobSeconds = new Histogram({
    name: 'mayfly_job_duration_seconds',
    help: 'Runs of jobs by this process, with how they ended.',
    labelNames: ['job', 'outcome'],
    buckets: [0.1, 1, 10, 60, 600, 3600],
    registers,
  })
  const mails = new Counter({
    name: 'mayfly_mails_total',
    help: 'Tries to send a mail: sent, failed (tried again), refused (given up).',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0)
  const storageErrors = new Counter({
    name: 'mayfly_storage_errors_total',
    help: 'Operations on a store that failed: no answer, an unexpected answer, a failing disk.',
    labelNames: ['store', 'operation'],
    registers,
  })
  for (const store of storageNames) {
    for (const operation of storageOperations) storageErrors.inc({ store, operation }, 0)
  }

  return {
    registry,
    http: httpMetrics(registers),
    transfers: transferMetrics(registers),
    storageErrors,

    /** Measures a run of a job. The caller calls what this returns when the run has ended. */
    startJob(job: string): (outcome: JobOutcome) => void {
      const took = jobSeconds.startTimer({ job })
      return (outcome) => void took({ outcome })
    },

    /** Counts a try to send an email. */
    mailTried: (outcome: MailOutcome): void => mails.inc({ outcome }),

    /** Adds a gauge. */
    gauge<Label extends string>(
      name: `mayfly_${string}`,
      help: string,
      labelNames: Label[] = [],
    ): Gauge<Label> {
      return new Gauge({ name, help, labelNames, registers: [registry] })
    },

    /**
     * Calls `read` before each scrape, so that it can set its gauges. It must not reject and must
     * not take long: the scrape waits for it.
     */
    beforeScrape(read: () => Promise<void>): void {
      registry.readings.push(read)
    },

    /** Returns all metrics in Prometheus's text format. */
    scrape: () => registry.metrics(),
  }
}

/**
 * A registry that calls `readings`, which set the gauges, each time before it returns metrics.
 * Scrapes take turns. Otherwise a reading could empty a gauge that another scrape is about to
 * return.
 */
class ReadRegistry extends Registry {
  readonly readings: (() => Promise<void>)[] = []
  #last: Promise<unknown> = Promise.resolve()

  override metrics(): Promise<string> {
    const turn = this.#last.then(async () => {
      await Promise.all(this.readings.map((read) => read()))
      return super.metrics()
    })
    this.#last = turn.catch(() => {})
    return turn
  }
}

/** Counts transfers that pass through this server. Transfers to and from a bucket do not. */
function transferMetrics(registers: Registry[]): TransferMeter {
  const bytes = new Counter({
    name: 'mayfly_transfer_bytes_total',
    help: 'Bytes of files on the disk that were received or sent.',
    labelNames: ['direction'],
    registers,
  })
  const transfers = new Counter({
    name: 'mayfly_transfers_total',
    help: 'Transfers that ended: complete, cut (the client left), refused, failed.',
    labelNames: ['direction', 'outcome'],
    registers,
  })
  for (const direction of transferDirections) {
    for (const outcome of transferOutcomes) transfers.inc({ direction, outcome }, 0)
  }
  const running = new Gauge({
    name: 'mayfly_transfers_running',
    help: 'Transfers that are running.',
    labelNames: ['direction'],
    registers,
    collect() {
      for (const direction of transferDirections) this.set({ direction }, runningNow(direction))
    },
  })
  let runningNow: (direction: TransferDirection) => number = () => 0
  const counters = {
    download: bytes.labels({ direction: 'download' }),
    upload: bytes.labels({ direction: 'upload' }),
  }
  return {
    bytes: (direction, count) => counters[direction].inc(count),
    ended: (direction, outcome) => transfers.inc({ direction, outcome }),
    running(count) {
      runningNow = count
      running.reset()
    },
  }
}

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
