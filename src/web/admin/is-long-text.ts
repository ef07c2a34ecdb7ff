/** If a text has more characters or lines than this, only its beginning is shown at first. */
const longestShown = 320
const mostLines = 5

/** Tells whether only the beginning of a text is shown at first. */
export function isLongText(text: string): boolean {
  return text.length > longestShown || text.split('\n').length > mostLines
}
