let shownText = ''

/** Replaces the line that shows progress on a terminal. Shows nothing elsewhere. */
export function showText(text: string): void {
  if (text === shownText || !process.stderr.isTTY) return
  shownText = text
  // File names can contain control characters.
  process.stderr.write(`\r\x1b[K${text.replaceAll(/\p{Cc}/gu, ' ')}`)
}

/** Shows nothing once all bytes are done. */
export function showProgress(label: string, doneBytes: number, totalBytes: number): void {
  const isDone = doneBytes >= totalBytes
  showText(isDone ? '' : `${label}: ${Math.floor((100 * doneBytes) / totalBytes)} %`)
}
