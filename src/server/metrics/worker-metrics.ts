/**
 * Where one machine runs several workers, a scrape reaches any of them. That worker asks the
 * primary process for the figures of all, and the primary process asks those that serve. Each
 * series of a worker carries its number, so that the end of a worker ends its own series, and no
 * sum goes down.
 */
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** How long a worker may take to tell its metrics. */
const answerMs = 5_000

/** The figures of one worker, as its registries give them. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A worker asks the primary process for the figures of all workers. */
interface Question {
  kind: 'mayfly metrics of all'
  id: number
}
/** `text` is null where a worker did not answer in time, or where its figures make no text. */
interface GatheredMetrics extends Question {
  text: string | null
}

/** The primary process asks a worker for its figures. */
interface Order {
  kind: 'mayfly metrics of one'
  id: number
  /** Whether to tell the figures too that are the same in every worker. */
  withShared: boolean
}
/** `figures` is null where they could not be read. */
interface Report {
  kind: Order['kind']
  id: number
  figures: Figures | null
}

/** Gathers the metrics of the workers, in the primary process. */
export class MetricsGatherer {
  readonly #serving: () => readonly Worker[]
  /** What was asked of workers and is not answered yet. */
  readonly #waiting = new Map<number, { worker: Worker; settle(figures: Figures | null): void }>()
  #lastId = 0

  /** @param serving returns the workers that serve. Others may not listen yet: nobody asks them. */
  constructor(serving: () => readonly Worker[]) {
    this.#serving = serving
  }

  /** How many answers it waits for. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Notes what a worker has sent. Other messages than those of this file are left alone. */
  noteMessage(worker: Worker, message: Question | Report): void {
    if (message.kind === 'mayfly metrics of all') void this.#answer(worker, message)
    else if (message.kind === 'mayfly metrics of one') {
      this.#waiting.get(message.id)?.settle(message.figures)
    }
  }

  /** Notes that a worker has ended. What it was asked counts as answered, with no figures. */
  noteExit(ended: Worker): void {
    for (const { worker, settle } of [...this.#waiting.values()]) if (worker === ended) settle([])
  }

  async #answer(asker: Worker, { kind, id }: Question): Promise<void> {
    // A worker is asked by Prometheus as soon as it listens, which is before it has said so.
    const asked = [...new Set([asker, ...this.#serving()])]
    const told = await Promise.all(asked.map((worker) => this.#ask(worker, worker === asker)))
    const figures = told.filter((one) => one !== null)
    // Figures without those of a worker that serves would look like a loss of traffic.
    const isWhole = figures.length === told.length
    // Figures that cannot be added up fail this scrape, and must not end the server.
    const text = isWhole ? await textOf(figures).catch(() => null) : null
    tell(asker, { kind, id, text } satisfies GatheredMetrics)
  }

  /** Resolves with null when the worker does not tell its figures in time. Never rejects. */
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
 * Lets the primary process gather the metrics of all its workers. Call it there, once.
 * @param serving returns the workers that serve.
 */
export function gatherFromWorkers(serving: () => readonly Worker[]): void {
  const gatherer = new MetricsGatherer(serving)
  cluster.on('message', (worker, message) => gatherer.noteMessage(worker, message))
  cluster.on('exit', (worker) => gatherer.noteExit(worker))
}

/**
 * Joins a worker's metrics with those of the others.
 * @param read returns the figures of this worker.
 * @returns a function that asks for the metrics of all workers. It rejects when a worker that
 * serves does not answer within five seconds.
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
  async function report({ kind, id, withShared }: Order): Promise<void> {
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

/** Writes the figures of several workers in Prometheus's text format. */
async function textOf(figures: readonly Figures[]): Promise<string> {
  return AggregatorRegistry.aggregate([...figures]).metrics()
}

/** Sends a message. @returns false when the worker is ending, and nothing can reach it. */
function tell(worker: Worker, message: GatheredMetrics | Order): boolean {
  if (!worker.isConnected()) return false
  worker.send(message)
  return true
}
