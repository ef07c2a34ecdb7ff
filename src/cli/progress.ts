import { formatSize } from '../shared/rules/format/file-size.ts'
import { type Interruption, interruptionMessages } from '../web/uploads/interruption.ts'

const intervalMs = 500

/** What has been transferred so far. Sizes are in bytes. */
export interface ProgressState {
  doneBytes: number
  totalBytes: number
  bytesPerSecond: number | null
  interruption: Interruption | null
}

/**
 * Shows progress in one line of a terminal. Elsewhere, prints a line only when a transfer is
 * interrupted.
 */
export class Progress {
  readonly #isTerminal = process.stderr.isTTY === true
  #shownAt = 0
  #interruption: Interruption | null = null

  update(label: string, state: ProgressState): void {
    const { interruption } = state
    const isNew = interruption !== this.#interruption
    this.#interruption = interruption
    if (!this.#isTerminal) {
      if (isNew && interruption) this.print(`${interruptionMessages[interruption]} …`)
      return
    }
    const now = performance.now()
    if (!isNew && now - this.#shownAt < intervalMs) return
    this.#shownAt = now
    process.stderr.write(`\r\x1b[K${label}: ${toText(state)}`)
  }

  /** Prints a line in place of the progress. */
  print(line: string): void {
    this.clear()
    process.stderr.write(`${line}\n`)
  }

  clear(): void {
    if (this.#isTerminal) process.stderr.write('\r\x1b[K')
  }
}

function toText({ doneBytes, totalBytes, bytesPerSecond, interruption }: ProgressState): string {
  const percent = totalBytes === 0 ? 100 : Math.floor((doneBytes / totalBytes) * 100)
  const progress = `${percent} % of ${formatSize(totalBytes)}`
  if (interruption) return `${progress}, ${interruptionMessages[interruption]}`
  if (!bytesPerSecond) return progress
  const secondsLeft = Math.ceil((totalBytes - doneBytes) / bytesPerSecond)
  const minutes = Math.floor(secondsLeft / 60)
  const seconds = String(secondsLeft % 60).padStart(2, '0')
  return `${progress}, ${formatSize(bytesPerSecond)}/s, ${minutes}:${seconds} left`
}
