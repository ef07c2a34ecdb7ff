import cluster from 'node:cluster'
import { stopOrder, type WorkerReport } from './messages.ts'

/** The number of this worker, counted from 1; null in a process that is no worker. */
export function workerNumber(): number | null {
  return cluster.worker?.id ?? null
}

/**
 * Tells the primary process how the start went. Resolves when the message has left, or at once when
 * the primary process is gone. In that case Node ends this process.
 */
export function reportToPrimary(report: WorkerReport): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(report, undefined, undefined, () => resolve())
    else resolve()
  })
}

/**
 * Calls `stop` when the primary process wants this worker to stop. Signals have no effect: a
 * terminal or a supervisor may send them to every process, and the primary process passes them on
 * in its own time. When the primary process has died, Node ends the worker.
 */
export function listenToPrimary(stop: (reason: object) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  process.on('message', (order) => {
    if (order === stopOrder) stop({ order })
  })
}
