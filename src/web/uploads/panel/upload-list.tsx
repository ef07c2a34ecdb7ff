import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState } from '../uploads-state.ts'
import { UploadItem, type UploadItemProps } from './upload-item.tsx'

/** An item's estimated height in pixels, used until the item is measured. */
const estimatedItemHeight = 96

/** Makes the list scrollable by keyboard even if it has no buttons. */
const scrollProps = { tabIndex: 0, role: 'group', 'aria-label': 'Uploads' }

export interface UploadListProps extends Pick<UploadItemProps, 'isAdmin' | 'hasLinks'> {
  id: string
  state: UploadsState
  records: readonly UploadRecord[]
}

/**
 * The list of uploads, scrollable above a maximum height. Renders only the items in or near view
 * and the focused one.
 */
export function UploadList({ id, state, records, isAdmin, hasLinks }: UploadListProps) {
  const scrollerRef = useRef<HTMLDivElement>(null)
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const virtualizer = useVirtualizer({
    count: records.length,
    getScrollElement: () => scrollerRef.current,
    estimateSize: () => estimatedItemHeight,
    getItemKey: (index) => records[index]?.id ?? index,
    overscan: 4,
    rangeExtractor: (range) => {
      const visibleIndexes = defaultRangeExtractor(range)
      const focusedIndex = records.findIndex(({ id }) => id === focusedId)
      if (focusedIndex < 0 || visibleIndexes.includes(focusedIndex)) return visibleIndexes
      return [...visibleIndexes, focusedIndex].sort((a, b) => a - b)
    },
  })
  const height = virtualizer.getTotalSize()
  return (
    <div ref={scrollerRef} id={id} className="uploads-list" {...scrollProps}>
      <ul style={{ height }} onBlur={() => setFocusedId(null)}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const record = records[index]
          if (record === undefined) return null
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              data-status={record.status}
              className="upload"
              aria-posinset={index + 1}
              aria-setsize={records.length}
              style={{ transform: `translateY(${start}px)` }}
              onFocus={() => setFocusedId(record.id)}
            >
              <UploadItem
                record={record}
                activity={state.activity[record.id]}
                isInOtherTab={state.otherTabIds.has(record.id)}
                isAdmin={isAdmin}
                hasLinks={hasLinks}
                commands={state}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
