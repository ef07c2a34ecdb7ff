import { type Logger, pino } from 'pino'
import type { LogFormat, LogLevel } from './config.ts'

/** What moves the cursor, colours, or reorders text where a terminal shows it. */
const unseen = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const unseenButLines = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Writes lines to standard output without making the caller wait; what is still buffered is written
 * when the process exits. Names and headers that people chose are in them: nothing in a line works on
 * the terminal that shows it, in either format.
 */
export async function createLogger(options: {
  level: LogLevel
  format: LogFormat
}): Promise<Logger> {
  // Before the destination's own listener, which writes what is still in its buffer.
  let isWriting = false
  process.on('exit', () => {
    if (isWriting) waitForThread()
  })
  const output = pino.destination({ fd: 1, sync: false })
  output.on('drain', () => {
    isWriting = false
  })
  const shape = options.format === 'readable' ? await readableLine() : jsonLine
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line: string) {
        isWriting = true
        output.write(shape(line))
      },
      // Asked for after a fatal line.
      flushSync: () => output.flushSync(),
    } as pino.DestinationStream,
  )
}

/** Longer than a write takes that nothing holds up. */
const writeMs = 100

/**
 * Lets a write come to its end that another thread has begun: an exit would cut it off, and nothing
 * but time tells that it is done.
 */
function waitForThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, writeMs)
}

/** JSON writes the control characters of ASCII by number, but not those above it. */
function jsonLine(line: string): string {
  return `${line.slice(0, -1).replace(unseen, byNumber)}\n`
}

/** The library that writes for people is loaded where there is one to read it. */
async function readableLine(): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty')
  const write = pretty.prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return (line) => write(forPeople(JSON.parse(line)))
}

/** A request in few words, and every text without what a terminal would act on. */
function forPeople(entry: Record<string, unknown>): Record<string, unknown> {
  const { method, path, status, ms, ...rest } = entry
  const isRequest = entry.msg === 'request'
  return visible(
    isRequest ? { ...rest, msg: `${method} ${path} ${status} in ${ms} ms` } : entry,
  ) as Record<string, unknown>
}

function visible(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    // A stack is written with its lines indented, so that none can pass for a line of the log.
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
