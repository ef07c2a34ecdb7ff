import {
  defaultRangeExtractor,
  measureElement,
  useWindowVirtualizer,
} from '@tanstack/react-virtual'
import {
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

export interface VirtualListProps<Item> {
  label: string
  items: readonly Item[]
  itemId: (item: Item) => string
  row: (item: Item) => ReactNode
  /** A lower bound for the full list's length, if `items` is only part of it. */
  total?: number | undefined
  /** True if the list may be longer than `total`. */
  isOpenEnded?: boolean
  /** Rendered in place of items that are not loaded. */
  placeholder?: ReactNode
  /** Called shortly before the list needs items that are not loaded. */
  onNearEnd?: (() => void) | undefined
}

/** More items are loaded when fewer than this many loaded items follow the last rendered one. */
const readAheadRows = 50

/** An item's estimated height in pixels, used until one has been measured. */
const initialRowHeight = 71

/**
 * A list that can have thousands of rows. It scrolls with the page and renders only the rows in
 * view and the focused row. Screen readers announce the number of rows.
 */
export function VirtualList<Item>({
  label,
  items,
  itemId,
  row,
  total = items.length,
  isOpenEnded = false,
  placeholder,
  onNearEnd,
}: VirtualListProps<Item>) {
  const listRef = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const [focusedIndex, setFocusedIndex] = useState<number | null>(null)

  // Keep `top` up to date when content above the list, such as upload progress, moves it.
  useLayoutEffect(() => {
    const updateTop = () =>
      setTop(Math.round((listRef.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
    updateTop()
    const observer = new ResizeObserver(updateTop)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])

  // The first item measured at this window width provides the estimate for all heights. A wrong
  // estimate shifts all following items.
  const heightEstimateRef = useRef({ width: 0, height: initialRowHeight })

  // If this function changed on each render, the virtualizer would recompute all positions.
  const getItemKey = useCallback(
    (index: number) => {
      const item = items[index]
      return item === undefined ? index : itemId(item)
    },
    [items, itemId],
  )
  const virtualizer = useWindowVirtualizer({
    count: total,
    estimateSize: () => heightEstimateRef.current.height,
    measureElement: (element, entry, list) => {
      const height = measureElement(element, entry, list)
      if (heightEstimateRef.current.width !== window.innerWidth) {
        heightEstimateRef.current = { width: window.innerWidth, height }
      }
      return height
    },
    getItemKey,
    overscan: 8,
    scrollMargin: top,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range)
      if (focusedIndex === null || focusedIndex >= total || indexes.includes(focusedIndex))
        return indexes
      return [...indexes, focusedIndex].sort((a, b) => a - b)
    },
  })

  const visibleRows = virtualizer.getVirtualItems()
  const lastIndex = visibleRows.at(-1)?.index ?? 0
  const needsMore = items.length < total && lastIndex + readAheadRows >= items.length
  useEffect(() => {
    if (needsMore) onNearEnd?.()
  }, [needsMore, onNearEnd])

  return (
    <ul
      ref={listRef}
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
      onBlur={() => setFocusedIndex(null)}
    >
      {visibleRows.map(({ index, start, key }) => {
        const item = items[index]
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            id={item === undefined ? undefined : itemId(item)}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={isOpenEnded ? -1 : total}
            className={`absolute top-0 left-0 w-full border-t ${index > 0 ? 'border-line' : 'border-transparent'}`}
            style={{ transform: `translateY(${start - top}px)` }}
            onFocus={() => setFocusedIndex(index)}
          >
            {item === undefined ? placeholder : <Row item={item} render={row} />}
          </li>
        )
      })}
    </ul>
  )
}

function RowContent<Item>({ item, render }: { item: Item; render: (item: Item) => ReactNode }) {
  return render(item)
}

/** Scrolling doesn't render it again: rendering all rows in view takes longer than a frame. */
const Row = memo(RowContent) as typeof RowContent
