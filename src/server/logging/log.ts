import { type Logger, pino } from 'pino'
import type { LogFormat, LogLevel } from '../config/startup-settings.ts'
import { redactAddresses, redactQuery } from './redact.ts'
import { toSourceStack } from './source-stack.ts'

/** Characters that move the cursor, change colors or reorder text on a terminal. */
const controlCharacters = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const controlExceptLineBreaks = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** The message of every request's log line. */
export const requestMessage = 'request'

/**
 * Redacts the values of database queries, and email addresses, which mail servers repeat in their
 * replies.
 */
export const logSerializers = {
  err: (error: unknown) => {
    const redacted = redactQuery(error)
    if (!(redacted instanceof Error)) return redactAddresses(redacted)
    const entry = pino.stdSerializers.err(redacted)
    return redactAddresses({ ...entry, stack: toSourceStack(entry.stack) })
  },
}

/**
 * Creates a logger that writes to standard output. It escapes control characters in both formats,
 * because user-supplied file names and headers are logged too.
 */
export async function createLogger(options: {
  level: LogLevel
  format: LogFormat
}): Promise<Logger> {
  // Synchronous, so that no line is lost no matter how the process ends.
  const output = pino.destination({ fd: 1, sync: true })
  // The log's reader has closed the pipe, or the disk is full. There is nowhere else to report the
  // error.
  output.on('error', () => {})
  const format = options.format === 'readable' ? await createReadableFormat() : formatJson
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

/** Escapes control characters that `JSON.stringify` doesn't, such as DEL. */
function formatJson(line: string): string {
  return `${line.slice(0, -1).replace(controlCharacters, toEscape)}\n`
}

async function createReadableFormat(): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty')
  const write = pretty.prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return (line) => write(toReadable(JSON.parse(line)))
}

/** Shortens a request's log entry to one line, and escapes control characters in all text. */
function toReadable(entry: Record<string, unknown>): Record<string, unknown> {
  const { method, path, status, ms, ...rest } = entry
  const isRequest = entry.msg === requestMessage
  return escapeControl(
    isRequest ? { ...rest, msg: `${method} ${path} ${status} in ${ms} ms` } : entry,
  ) as Record<string, unknown>
}

function escapeControl(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    // Stack lines are indented, so none can be mistaken for a log entry.
    return value.replace(name === 'stack' ? controlExceptLineBreaks : controlCharacters, toEscape)
  }
  if (Array.isArray(value)) return value.map((item) => escapeControl(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [escapeControl(key), escapeControl(item, key)]),
  )
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
