/**
 * Where one machine runs several workers, a scrape reaches only one of them. That worker asks the
 * primary process for the figures of all workers, and the primary process asks each worker that
 * serves. The series of a worker have its number as a label. When a worker ends, only its series
 * end. If several workers shared a series, it would go down then, which a counter must not do.
 */
import cluster, { type Worker } from 'node:cluster'
import type { Registry } from 'prom-client'

/** How long a worker may take to tell its metrics. */
const answerMs = 5_000

/** The figures of one worker, as its registries give them. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A worker asks the primary process for the figures of all workers. */
interface Question {
  kind: 'mayfly metrics of all'
  id: number
}
/**
 * `text` is null if a worker could not read its figures or did not answer in time, or if the
 * figures could not be added up.
 */
interface GatheredMetrics extends Question {
  text: string | null
}

/** The primary process asks a worker for its figures. */
interface Order {
  kind: 'mayfly metrics of one'
  id: number
  /** Whether to report also the figures that are the same in every worker. */
  withShared: boolean
}
/** The answer to an `Order`. `figures` is null if the worker could not read them. */
interface Report {
  kind: Order['kind']
  id: number
  figures: Figures | null
}

/** Gathers the metrics of the workers, in the primary process. */
export class MetricsGatherer {
  readonly #serving: () => readonly Worker[]
  /** The orders that workers have not answered yet, by their ids. */
  readonly #waiting = new Map<number, { worker: Worker; settle(figures: Figures | null): void }>()
  #lastId = 0

  /** @param serving returns the workers that serve. Others may still be starting. */
  constructor(serving: () => readonly Worker[]) {
    this.#serving = serving
  }

  /** How many times a worker was asked for its metrics and has not answered yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Handles a message from a worker. It ignores messages that are not about metrics. */
  noteMessage(worker: Worker, message: Question | Report): void {
    if (message.kind === 'mayfly metrics of all') void this.#answer(worker, message)
    else if (message.kind === 'mayfly metrics of one') {
      this.#waiting.get(message.id)?.settle(message.figures)
    }
  }

  /** Handles the end of a worker. An order that it has not answered is answered without figures. */
  noteExit(ended: Worker): void {
    for (const { worker, settle } of [...this.#waiting.values()]) if (worker === ended) settle([])
  }

  async #answer(asker: Worker, { kind, id }: Question): Promise<void> {
    // Prometheus may ask a worker that listens but has not yet said so to the primary process. Then
    // `#serving` does not return this worker.
    const asked = [...new Set([asker, ...this.#serving()])]
    const told = await Promise.all(asked.map((worker) => this.#ask(worker, worker === asker)))
    const figures = told.filter((one) => one !== null)
    // If one worker's figures were left out, it would look as if traffic had been lost.
    const isWhole = figures.length === told.length
    // The figures of the workers may not fit together. Then this one request for metrics fails.
    // Without the catch, the unhandled rejection would end the server.
    const text = isWhole ? await textOf(figures).catch(() => null) : null
    tell(asker, { kind, id, text } satisfies GatheredMetrics)
  }

  /**
   * Resolves with null when the worker cannot read its figures or does not answer in time, and with
   * no figures when the worker is ending. Never rejects.
   */
  #ask(worker: Worker, withShared: boolean): Promise<Figures | null> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      const settle = (figures: Figures | null) => {
        clearTimeout(patience)
        this.#waiting.delete(id)
        resolve(figures)
      }
      const patience = setTimeout(() => settle(null), answerMs)
      this.#waiting.set(id, { worker, settle })
      if (!tell(worker, { kind: 'mayfly metrics of one', id, withShared } satisfies Order)) {
        settle([])
      }
    })
  }
}

/**
 * Lets the primary process gather the metrics of all its workers. Call it once, in that process.
 * @param serving returns the workers that serve.
 */
export function gatherFromWorkers(serving: () => readonly Worker[]): void {
  const gatherer = new MetricsGatherer(serving)
  cluster.on('message', (worker, message) => gatherer.noteMessage(worker, message))
  cluster.on('exit', (worker) => gatherer.noteExit(worker))
}

/**
 * Connects a worker to the primary process, so that it can get the metrics of all workers.
 * @param read returns the figures of this worker.
 * @returns a function that asks for the metrics of all workers. It rejects when a worker that
 * serves cannot read its figures or does not answer within five seconds, or when the figures cannot
 * be added up.
 */
export function joinWorkers(
  read: (withShared: boolean) => Promise<Figures>,
): () => Promise<string> {
  const waiting = new Map<number, PromiseWithResolvers<string>>()
  let lastId = 0
  process.on('message', (message: Order | GatheredMetrics) => {
    if (message.kind === 'mayfly metrics of one') void report(message)
    else if (message.kind === 'mayfly metrics of all') {
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.text === null) asked?.reject(new Error('The metrics could not be gathered.'))
      else asked?.resolve(message.text)
    }
  })
  const report = async ({ kind, id, withShared }: Order): Promise<void> => {
    const figures = await read(withShared).catch(() => null)
    process.send?.({ kind, id, figures } satisfies Report)
  }
  return () => {
    lastId += 1
    const asked = Promise.withResolvers<string>()
    waiting.set(lastId, asked)
    process.send?.({ kind: 'mayfly metrics of all', id: lastId } satisfies Question)
    return asked.promise
  }
}

/**
 * Writes the figures of several workers in Prometheus's text format. The primary process needs the
 * library for nothing else, so it is loaded with the first scrape.
 */
async function textOf(figures: readonly Figures[]): Promise<string> {
  const { AggregatorRegistry } = await import('prom-client')
  return AggregatorRegistry.aggregate([...figures]).metrics()
}

/** Sends a message. @returns false when the worker is ending, and nothing can reach it. */
function tell(worker: Worker, message: GatheredMetrics | Order): boolean {
  if (!worker.isConnected()) return false
  worker.send(message)
  return true
}
