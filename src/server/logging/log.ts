import { type Logger, pino } from 'pino'
import type { LogFormat, LogLevel } from '../config/startup-settings.ts'
import { redactAddresses, redactQuery } from './redact.ts'

/** Characters that move the cursor, change colours or reorder text on a terminal. */
const unseen = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const unseenButLines = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** The message of the line that the log gets for each request. */
export const requestLine = 'request'

/**
 * Writes errors to the log without the values that were passed to database queries, which can be
 * secrets, and without mail addresses. Those are in errors because mail servers put the addresses
 * that they refuse into their answers.
 */
export const logSerializers = {
  err: (error: unknown) => redactAddresses(pino.stdSerializers.err(redactQuery(error) as Error)),
}

/**
 * Creates a logger that writes to standard output. File names and headers that people chose are
 * logged too, so control characters are escaped in both formats.
 */
export async function createLogger(options: {
  level: LogLevel
  format: LogFormat
}): Promise<Logger> {
  // Written synchronously, so that no line is lost, however the process ends.
  const output = pino.destination({ fd: 1, sync: true })
  // The reader is gone or the disk is full. There is no other place to report that.
  output.on('error', () => {})
  const format = options.format === 'readable' ? await readableLine() : jsonLine
  return pino(
    {
      level: options.level,
      base: null,
      serializers: logSerializers,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output.write(format(line)) },
  )
}

/** Escapes the characters of `unseen` that `JSON.stringify` leaves as they are, such as DEL. */
function jsonLine(line: string): string {
  return `${line.slice(0, -1).replace(unseen, byNumber)}\n`
}

/** Loads the library for the readable format, and returns the function that writes a line in it. */
async function readableLine(): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty')
  const write = pretty.prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return (line) => write(forPeople(JSON.parse(line)))
}

/**
 * Returns a log entry in readable form. A request becomes one short sentence, and control
 * characters are escaped in every text.
 */
function forPeople(entry: Record<string, unknown>): Record<string, unknown> {
  const { method, path, status, ms, ...rest } = entry
  const isRequest = entry.msg === requestLine
  return visible(
    isRequest ? { ...rest, msg: `${method} ${path} ${status} in ${ms} ms` } : entry,
  ) as Record<string, unknown>
}

function visible(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    // A stack keeps its line breaks. Its lines are indented, so none looks like a line of the log.
    return value.replace(name === 'stack' ? unseenButLines : unseen, byNumber)
  }
  if (Array.isArray(value)) return value.map((item) => visible(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [visible(key), visible(item, key)]),
  )
}

function byNumber(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
