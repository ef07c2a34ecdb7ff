/** A text of more characters or lines than this is shown in part at first. */
const longestShown = 320
const mostLines = 5

/** True for a text of which only the beginning is shown at first. */
export function isLongText(text: string): boolean {
  return text.length > longestShown || text.split('\n').length > mostLines
}
