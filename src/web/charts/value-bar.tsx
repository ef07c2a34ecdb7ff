import './charts.css'

/** The least width of a bar in pixels, so that a person can see every value above 0. */
const leastWidth = 3

/**
 * A bar in a row of a table. Its length is the fraction `part` (0 to 1) of the cell's width. It
 * only decorates the number beside it.
 */
export function ValueBar({ part }: { part: number }) {
  const width = part === 0 ? 0 : `max(${leastWidth}px, ${part * 100}%)`
  return (
    <svg className="chart-bar" aria-hidden="true">
      <rect style={{ width }} height="5" rx="2.5" />
    </svg>
  )
}
