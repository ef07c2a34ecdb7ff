import type { Logger } from 'pino'
import type { TracingSettings } from '../tracing-settings.ts'
import type { Tracing } from './tracing.ts'

/**
 * Begins to send traces. The libraries are loaded only where the settings ask for traces, because
 * they cost time and memory at the start.
 * @returns null if the settings ask for no traces.
 */
export async function openTracing(
  settings: TracingSettings | null,
  log: Pick<Logger, 'warn'>,
): Promise<Tracing | null> {
  if (settings === null) return null
  const { startTracing } = await import('./start-tracing.ts')
  return startTracing(settings, log)
}
