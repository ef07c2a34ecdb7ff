import { pino } from 'pino'

/**
 * How long the line of a request may wait for others. A power cut or SIGKILL loses the request
 * lines of this time.
 */
const collectMs = 50

/** The most bytes that one write passes on. */
const pieceBytes = 16 * 1024

/** How long `flushSync` waits for a write that is still running. Usually a write takes less. */
const writeMs = 100

/**
 * Writes lines to standard output, in their order, without making the caller wait. A write costs
 * more than the line itself, because another thread does it. So lines that may wait are collected
 * for up to `collectMs` and written together. When the process exits, all lines are written, even
 * if it ends by an error that nobody caught.
 */
export class LogOutput {
  readonly #output: ReturnType<typeof pino.destination>
  #collected = ''
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  /** Whether another thread is writing to the output. */
  #isWriting = false

  constructor() {
    // pino's own exit listener writes the lines that are left too, but it does not wait for another
    // thread. So this listener is added first.
    process.on('exit', () => this.flushSync())
    this.#output = pino.destination({ fd: 1, sync: false, maxWrite: pieceBytes })
    this.#output.on('drain', () => {
      this.#isWriting = false
    })
  }

  /**
   * Writes a line, which ends with a line break. If the process is killed, a line that may wait can
   * be lost.
   */
  write(line: string, { mayWait }: { mayWait: boolean }): void {
    const bytes = Buffer.byteLength(line)
    if (this.#bytes + bytes > pieceBytes) this.#pass()
    this.#collected += line
    this.#bytes += bytes
    if (mayWait) this.#timer ??= setTimeout(() => this.#pass(), collectMs)
    else this.#pass()
  }

  /**
   * Writes the lines whose write has not begun, and returns when they are written, however slow the
   * reader of the output is. If another thread is still writing earlier lines, this first gives it
   * `writeMs` to end, so that the two do not mix.
   */
  flushSync(): void {
    if (this.#isWriting) {
      this.#pass()
      waitForThread()
      this.#output.flushSync()
    } else {
      const lines = this.#take()
      if (lines !== '') writeSync(lines)
    }
  }

  #pass(): void {
    const lines = this.#take()
    if (lines === '') return
    this.#isWriting = true
    this.#output.write(lines)
  }

  /** Returns the collected lines, and forgets them. */
  #take(): string {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#collected
    this.#collected = ''
    this.#bytes = 0
    return lines
  }
}

/** Writes to standard output without another thread. It tries again while the output is full. */
function writeSync(lines: string): void {
  const output = pino.destination({ fd: 1, sync: true })
  // The reader is gone or the disk is full. There is no other place to say that.
  output.on('error', () => {})
  output.write(lines)
}

/**
 * Waits a fixed time. Another thread is in the middle of a write to the log, and an exit would cut
 * its text. This thread cannot see when the write ends.
 */
function waitForThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, writeMs)
}
