import { groupDigits } from '../../../shared/rules/format/numbers.ts'
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

/** Browsers take seconds of work to update a list of a thousand. */
const maxListed = 100

/**
 * The list of uploads, scrollable above a maximum height. Of many, it shows the first ones, which
 * are running or need attention. The browser skips the items out of view.
 */
export function UploadList({ id, state, records, ...item }: UploadListProps) {
  return (
    <div id={id} className="uploads-list" {...scrollProps}>
      <ul>
        {records.slice(0, maxListed).map((record) => (
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
      {records.length > maxListed ? (
        <p className="upload-body upload-note">
          and {groupDigits(records.length - maxListed)} more
        </p>
      ) : null}
    </div>
  )
}
