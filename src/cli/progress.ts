let shownText = ''

/** Replaces the line that shows progress on a terminal. Shows nothing elsewhere. */
export function showText(text: string): void {
  if (text === shownText || !process.stderr.isTTY) return
  shownText = text
  // File names can contain control characters, and be longer than the terminal's line.
  const line = text.replaceAll(/\p{Cc}/gu, ' ').slice(0, process.stderr.columns - 1)
  process.stderr.write(`\r\x1b[K${line}`)
}

/** Shows nothing once all bytes are done. */
export function showProgress(label: string, doneBytes: number, totalBytes: number): void {
  const percent = Math.floor((100 * doneBytes) / totalBytes)
  showText(percent < 100 ? `${percent} % ${label}` : '')
}
