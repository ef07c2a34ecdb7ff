import {
  defaultRangeExtractor,
  measureElement,
  useWindowVirtualizer,
} from '@tanstack/react-virtual'
import {
  memo,
  type ReactNode,
  type Ref,
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

/** The height in pixels that the list assumes for all items until it has measured the first one. */
const firstAssumedHeight = 71

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

  // Items that were never drawn are assumed to be as high as the first one that was measured in a
  // window of this width. If an item is not as high as it was assumed to be, all items after it
  // move and the list is drawn again. So most assumptions must be right while one scrolls.
  const assumed = useRef({ width: 0, height: firstAssumedHeight })

  // This function must stay the same object while the list is scrolled. For a new function, the
  // virtualizer computes the positions of all items again.
  const keyOf = useCallback(
    (index: number) => {
      const item = items[index]
      return item === undefined ? index : itemId(item)
    },
    [items, itemId],
  )
  const virtualizer = useWindowVirtualizer({
    count: total,
    estimateSize: () => assumed.current.height,
    measureElement: (element, entry, list) => {
      const height = measureElement(element, entry, list)
      if (assumed.current.width !== window.innerWidth) {
        assumed.current = { width: window.innerWidth, height }
      }
      return height
    },
    getItemKey: keyOf,
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
          <Place
            key={key}
            ref={virtualizer.measureElement}
            id={item === undefined ? undefined : itemId(item)}
            index={index}
            total={isOpenEnded ? -1 : total}
            top={start - top}
            item={item}
            row={row}
            placeholder={placeholder}
            onFocus={setFocused}
          />
        )
      })}
    </ul>
  )
}

interface PlaceProps<Item> {
  ref: Ref<HTMLLIElement>
  id: string | undefined
  index: number
  /** How many items the list has; -1 if this is unknown. */
  total: number
  /** The distance from the top of the list in pixels. */
  top: number
  /** The item to draw; undefined while its page of the list is not loaded. */
  item: Item | undefined
  row: (item: Item) => ReactNode
  placeholder: ReactNode
  onFocus: (index: number) => void
}

function ItemAtItsPlace<Item>({ index, total, top, item, row, ...place }: PlaceProps<Item>) {
  return (
    <li
      ref={place.ref}
      id={place.id}
      data-index={index}
      aria-posinset={index + 1}
      aria-setsize={total}
      className={`absolute top-0 left-0 w-full border-t ${index > 0 ? 'border-line' : 'border-transparent'}`}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => place.onFocus(index)}
    >
      {item === undefined ? place.placeholder : row(item)}
    </li>
  )
}

/**
 * An item where the list shows it. While the list is scrolled, `memo` keeps the items that were
 * shown before from being drawn again.
 */
const Place = memo(ItemAtItsPlace) as typeof ItemAtItsPlace
