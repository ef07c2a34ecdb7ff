import { type ReactNode, useId, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useEmailSignature } from '../api/public-values.ts'
import { Card } from '../ui/card.tsx'
import { confirm } from '../ui/dialog.tsx'
import { LoadingRow } from '../ui/skeleton.tsx'
import { useDeleteFile } from './change-files.ts'
import { FileReceipt } from './file-receipt.tsx'
import { FileRow } from './file-row.tsx'
import { filesHeadingId } from './files-heading.tsx'
import { rowId } from './link-dates.ts'
import { RenewDialog } from './renew-dialog.tsx'
import { VirtualList } from './virtual-list.tsx'

/** Lists with more rows than this render only the rows in view. */
const maxPlainRows = 100

export interface FileListProps {
  /** The list's accessible name, such as 'My Files'. */
  label: string
  files: readonly StoredFile[]
  tier: Tier
  now: Date
  /** A lower bound for the full list's length, if `files` is only part of it. */
  total?: number | undefined
  /** True if the list may be longer than `total`. */
  isOpenEnded?: boolean
  /** Wraps a row, for example to add a checkbox. */
  wrapRow?: ((file: StoredFile, row: ReactNode) => ReactNode) | undefined
  /** Called when the deletion of a file starts. */
  onDelete?: ((file: StoredFile) => void) | undefined
  /**
   * Renders a file's statistics and receipt, which expand under its row when the download count is
   * clicked. If omitted, only the receipt is shown.
   */
  statistics?: ((file: StoredFile, receipt: ReactNode) => ReactNode) | undefined
  /**
   * The ids of files marked as new. If there is only one, copying its link is the page's main
   * action.
   */
  newIds?: ReadonlySet<string>
  /** Content above the first row. */
  head?: ReactNode
  /** Called when scrolling gets near the end of the loaded rows. */
  onNearEnd?: () => void
}

const noIds: ReadonlySet<string> = new Set()

/**
 * A list of files with their links and actions. Deletions and renewals open a dialog first. After a
 * deletion, focus moves to a neighboring row or the heading.
 */
export function FileList({
  label,
  files,
  tier,
  now,
  wrapRow = (_, row) => row,
  head,
  onDelete,
  statistics,
  newIds = noIds,
  ...paging
}: FileListProps) {
  const deleteFile = useDeleteFile()
  const signature = useEmailSignature()
  const [fileToRenew, setFileToRenew] = useState<StoredFile | null>(null)
  const [openFileId, setOpenFileId] = useState<string | null>(null)
  const detailsId = useId()
  const toggleDetails = ({ id }: StoredFile) => setOpenFileId(openFileId === id ? null : id)
  const renderDetails = (file: StoredFile) => {
    const { renewal } = tierTraits[tier]
    const receipt = <FileReceipt file={file} canRenew={renewal} now={now} />
    return (
      <section
        id={detailsId}
        aria-label={`${statistics ? 'Statistics' : 'Receipt'} of ${file.originalName}`}
        className="border-line border-t bg-paper p-4 sm:p-5 lg:pl-[72px]"
      >
        {statistics ? statistics(file, receipt) : <div className="max-w-md">{receipt}</div>}
      </section>
    )
  }
  const confirmAndDelete = async (file: StoredFile) => {
    const index = files.findIndex(({ id }) => id === file.id)
    const neighbor = files[index + 1] ?? files[index - 1]
    const isConfirmed = await confirm({
      title: `Delete ${file.originalName}?`,
      description:
        'Its link stops working at once and the file is removed. This action cannot be undone.',
      confirmLabel: 'Delete',
      focusAfter: () => document.getElementById(neighbor ? rowId(neighbor) : filesHeadingId),
    })
    if (!isConfirmed) return
    deleteFile(file)
    onDelete?.(file)
  }
  const getNewMark = ({ id }: StoredFile) => {
    if (!newIds.has(id)) return undefined
    return newIds.size === 1 ? 'alone' : 'with-others'
  }
  const renderRow = (file: StoredFile) => (
    <>
      {wrapRow(
        file,
        <FileRow
          file={file}
          tier={tier}
          now={now}
          signature={signature}
          onDelete={(file) => void confirmAndDelete(file)}
          onRenew={setFileToRenew}
          onDetails={toggleDetails}
          openDetailsId={file.id === openFileId ? detailsId : undefined}
          hasStatistics={statistics !== undefined}
          newMark={getNewMark(file)}
        />,
      )}
      {file.id === openFileId ? renderDetails(file) : null}
    </>
  )

  return (
    <Card className="overflow-clip">
      {head}
      {paging.total !== undefined || files.length > maxPlainRows ? (
        <VirtualList
          label={label}
          items={files}
          itemId={rowId}
          row={renderRow}
          placeholder={<LoadingRow />}
          {...paging}
        />
      ) : (
        <ul aria-label={label}>
          {files.map((file) => (
            <li
              key={file.id}
              id={rowId(file)}
              className={`border-line border-t transition-colors duration-200 first:border-t-0 ${newIds.has(file.id) ? 'bg-tint' : ''}`}
            >
              {renderRow(file)}
            </li>
          ))}
        </ul>
      )}
      {fileToRenew ? (
        <RenewDialog
          key={fileToRenew.id}
          file={fileToRenew}
          tier={tier}
          onClosed={() => setFileToRenew(null)}
          now={now}
          signature={signature}
        />
      ) : null}
    </Card>
  )
}
