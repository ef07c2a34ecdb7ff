import { type FocusEvent, type KeyboardEvent, useState } from 'react'

/** Returns the row that a key moves to from row `index` of `count`; null for any other key. */
function movedRow(key: string, index: number, count: number): number | null {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, index - 1)
    case 'ArrowDown':
      return Math.min(count - 1, index + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** The React props for a table whose rows can have the focus, and for its row at an index. */
export interface ReadingRows {
  table: { role: 'grid' }
  row: (index: number) => {
    tabIndex: number
    onFocus: (event: FocusEvent<HTMLTableRowElement>) => void
    onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => void
  }
}

/**
 * Gives the `count` rows of a chart's table a reading point: the one row that Tab reaches. The
 * up and down arrow keys, Home and End move the focus to another row. A click or tap on a row does
 * the same. The row with the focus becomes the reading point.
 */
export function useReadingRows(count: number): ReadingRows {
  const [chosen, setRow] = useState(0)
  const reading = Math.min(chosen, count - 1)
  const row: ReadingRows['row'] = (index) => ({
    tabIndex: index === reading ? 0 : -1,
    onFocus: () => setRow(index),
    onKeyDown: (event) => {
      const moved = movedRow(event.key, index, count)
      if (moved === null || event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      const row = event.currentTarget.parentElement?.children[moved]
      if (row instanceof HTMLElement) row.focus()
    },
  })
  return { table: { role: 'grid' }, row }
}
