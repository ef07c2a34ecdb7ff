import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

export interface VirtualListProps<Item> {
  label: string
  items: readonly Item[]
  itemId: (item: Item) => string
  row: (item: Item) => ReactNode
  /** How many items there are at least, if there are more than `items`. */
  total?: number | undefined
  /** True if there may be more items than `total`. */
  isOpenEnded?: boolean
  /** What is drawn in place of an item that is not loaded yet. */
  placeholder?: ReactNode
  /**
   * Called when the list will soon draw items that are not loaded yet. The argument is the index of
   * the last item that it will soon draw.
   */
  onReach?: ((place: number) => void) | undefined
}

/** If fewer loaded items than this follow the drawn ones, more items are loaded. */
const readAhead = 50

/**
 * The heights in pixels that the list assumes until it has measured them. Items are rows, or cards
 * if the window is less than 640 px wide.
 */
const rowHeight = 74
const cardHeight = 150

/**
 * A list of thousands of rows that scrolls with the page and draws only the visible rows. Screen
 * readers still learn how many rows there are. The row with the focus is always drawn.
 */
export function VirtualList<Item>({
  label,
  items,
  itemId,
  row,
  total = items.length,
  isOpenEnded = false,
  placeholder,
  onReach,
}: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const [focused, setFocused] = useState<number | null>(null)

  // The list moves when the content above it changes, for instance by the progress of an upload. So
  // its position is measured each time the page changes its size.
  useLayoutEffect(() => {
    const place = () =>
      setTop(Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
    place()
    const watch = new ResizeObserver(place)
    watch.observe(document.body)
    return () => watch.disconnect()
  }, [])

  const virtualizer = useWindowVirtualizer({
    count: total,
    estimateSize: () => (window.innerWidth < 640 ? cardHeight : rowHeight),
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : itemId(item)
    },
    overscan: 8,
    scrollMargin: top,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      if (focused === null || focused >= total || shown.includes(focused)) return shown
      return [...shown, focused].sort((a, b) => a - b)
    },
  })

  const shown = virtualizer.getVirtualItems()
  const reached = (shown.at(-1)?.index ?? 0) + readAhead
  const isMissing = items.length < total && reached >= items.length
  useEffect(() => {
    if (isMissing) onReach?.(reached)
  }, [isMissing, reached, onReach])

  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
      onBlur={() => setFocused(null)}
    >
      {shown.map(({ index, start, key }) => {
        const item = items[index]
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            id={item === undefined ? undefined : itemId(item)}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={isOpenEnded ? -1 : total}
            className={`absolute top-0 left-0 w-full border-line ${index > 0 ? 'border-t' : ''}`}
            style={{ transform: `translateY(${start - top}px)` }}
            onFocus={() => setFocused(index)}
          >
            {item === undefined ? placeholder : row(item)}
          </li>
        )
      })}
    </ul>
  )
}
