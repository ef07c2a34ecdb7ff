import { type Logger, pino } from 'pino'
import { withoutValues } from './db/without-values.ts'
import type { LogFormat, LogLevel } from './startup-settings.ts'
import { withoutAddresses } from './without-addresses.ts'

/** Characters that move the cursor, change colours or reorder text on a terminal. */
const unseen = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const unseenButLines = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Writes errors to the log without the values of queries, which can be secrets, and without mail
 * addresses. Mail servers put the addresses that they refuse into their answers.
 */
export const logSerializers = {
  err: (error: unknown) => withoutAddresses(pino.stdSerializers.err(withoutValues(error) as Error)),
}

/**
 * Creates a logger that writes lines to standard output without making the caller wait. Lines that
 * are not written yet are written when the process exits. Names and headers that people chose are
 * logged too, so control characters are escaped in both formats.
 */
export async function createLogger(options: {
  level: LogLevel
  format: LogFormat
  /** The number of this worker, which is written in every line. null: this process is no worker. */
  worker?: number | null
}): Promise<Logger> {
  const { worker = null } = options
  // pino's own exit listener writes the lines that are left. If another thread is still writing
  // earlier lines then, the two would mix. So this listener is added first, and waits.
  let isWriting = false
  process.on('exit', () => {
    if (isWriting) waitForThread()
  })
  const output = pino.destination({
    fd: 1,
    sync: false,
    // All workers write to the same output. A pipe takes 4096 bytes in one piece, so that lines of
    // different workers do not mix.
    ...(worker !== null && { maxWrite: 4096 }),
  })
  output.on('drain', () => {
    isWriting = false
  })
  const shape = options.format === 'readable' ? await readableLine() : jsonLine
  return pino(
    {
      level: options.level,
      base: worker === null ? null : { worker },
      serializers: logSerializers,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line: string) {
        isWriting = true
        output.write(shape(line))
      },
      // pino calls this after a fatal line.
      flushSync: () => output.flushSync(),
    } as pino.DestinationStream,
  )
}

/** How long an exit waits for a write that is still running. Usually a write takes less. */
const writeMs = 100

/**
 * Waits a fixed time before the process exits. Another thread may be in the middle of a write to
 * the log, and the exit would cut its text. This thread cannot see when the write ends.
 */
function waitForThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, writeMs)
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
  const isRequest = entry.msg === 'request'
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
