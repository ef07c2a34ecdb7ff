/** Page Up and Page Down move the reading point by this many bars. */
const leap = 7

/**
 * The reading point of a chart is the bar whose value a box shows. Returns the index of the bar to
 * which a key moves the reading point from bar `index` of `count`; null for any other key.
 */
export function movedPoint(key: string, index: number, count: number): number | null {
  const within = (wanted: number) => Math.min(count - 1, Math.max(0, wanted))
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return within(index - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return within(index + 1)
    case 'PageDown':
      return within(index - leap)
    case 'PageUp':
      return within(index + leap)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
