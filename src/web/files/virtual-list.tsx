import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

export interface VirtualListProps<Item> {
  label: string
  items: readonly Item[]
  itemId: (item: Item) => string
  row: (item: Item) => ReactNode
}

/** The heights in pixels of a row, and of a card under 640 px, before they are measured. */
const rowHeight = 74
const cardHeight = 150

/**
 * A list of thousands of rows that scrolls with the page and draws only the visible ones. A screen
 * reader sees a list of all rows. The row with the focus is always drawn.
 */
export function VirtualList<Item>({ label, items, itemId, row }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const [focused, setFocused] = useState<number | null>(null)

  // The content above the list changes (an upload's progress, a message).
  useLayoutEffect(() => {
    const place = () =>
      setTop(Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
    place()
    const watch = new ResizeObserver(place)
    watch.observe(document.body)
    return () => watch.disconnect()
  }, [])

  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => (window.innerWidth < 640 ? cardHeight : rowHeight),
    getItemKey: (index) => itemId(items[index] as Item),
    overscan: 8,
    scrollMargin: top,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      if (focused === null || focused >= items.length || shown.includes(focused)) return shown
      return [...shown, focused].sort((a, b) => a - b)
    },
  })

  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
      onBlur={() => setFocused(null)}
    >
      {virtualizer.getVirtualItems().map(({ index, start, key }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            id={itemId(item)}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={items.length}
            className={`absolute top-0 left-0 w-full border-line ${index > 0 ? 'border-t' : ''}`}
            style={{ transform: `translateY(${start - top}px)` }}
            onFocus={() => setFocused(index)}
          >
            {row(item)}
          </li>
        )
      })}
    </ul>
  )
}
