/**
 * Where one machine runs several workers, a scrape reaches any of them. That worker asks the
 * primary process for the figures of all, and the library gathers them there. Each series carries
 * the number of its worker, so that the end of a worker ends its own series, and no sum goes down.
 */
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client'

const question = 'mayfly metrics'

interface Question {
  kind: typeof question
  id: number
}

interface Answer extends Question {
  /** null: a worker did not answer in time. */
  text: string | null
}

/** Lets the primary process gather the metrics of all its workers. Call it there, once. */
export function gatherFromWorkers(): void {
  const gatherer = new AggregatorRegistry<PrometheusContentType>()
  const answer = async (worker: Worker, { id }: Question) => {
    const text = await gatherer.clusterMetrics().catch(() => null)
    if (worker.isConnected()) worker.send({ kind: question, id, text } satisfies Answer)
  }
  cluster.on('message', (worker, message: Question) => {
    if (message.kind === question) void answer(worker, message)
  })
}

/**
 * Joins a worker's metrics with those of the others.
 * @returns a function that asks for the metrics of all workers. It rejects when one of them does
 * not answer within five seconds: figures without it would look like a loss of traffic.
 */
export function joinWorkers(registry: Registry, number: number): () => Promise<string> {
  registry.setDefaultLabels({ worker: String(number) })
  AggregatorRegistry.setRegistries(registry)
  // The library listens for the primary's questions from here on.
  new AggregatorRegistry()
  const waiting = new Map<number, PromiseWithResolvers<string>>()
  let lastId = 0
  process.on('message', (message: Answer) => {
    if (message.kind !== question) return
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.text === null) asked?.reject(new Error('A worker did not tell its metrics.'))
    else asked?.resolve(message.text)
  })
  return () => {
    lastId += 1
    const asked = Promise.withResolvers<string>()
    waiting.set(lastId, asked)
    process.send?.({ kind: question, id: lastId } satisfies Question)
    return asked.promise
  }
}
