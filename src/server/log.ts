import { type Logger, pino } from 'pino'
import type { LogLevel } from './config.ts'

/**
 * Writes JSON lines to standard output without making the caller wait; what is still buffered is
 * written when the process exits.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 1, sync: false }),
  )
}
