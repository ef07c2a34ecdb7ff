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
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { storageNames } from '../../shared/rules/files/storage-name.ts'
import { storageOperations } from '../storage/count-errors.ts'
import { httpMetrics } from './http-metrics.ts'
import { transferMetrics } from './transfer-metrics.ts'

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
