import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState } from '../uploads-state.ts'
import { UploadItem, type UploadItemProps } from './upload-item.tsx'

/** Makes the list scrollable by keyboard even if it has no buttons. */
const scrollProps = { tabIndex: 0, role: 'group', 'aria-label': 'Uploads' }

export interface UploadListProps
  extends Pick<UploadItemProps, 'isAdmin' | 'hasLinks' | 'commands'> {
  id: string
  state: UploadsState
  records: readonly UploadRecord[]
}

/**
 * The list of uploads, scrollable above a maximum height. The browser skips the items out of view.
 */
export function UploadList({ id, state, records, ...item }: UploadListProps) {
  return (
    <div id={id} className="uploads-list" {...scrollProps}>
      <ul>
        {records.map((record) => (
          <li key={record.id} data-status={record.status} className="upload">
            <UploadItem
              {...item}
              record={record}
              activity={state.activity[record.id]}
              isInOtherTab={state.otherTabIds.has(record.id)}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}
