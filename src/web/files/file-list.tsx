import { useCallback, useRef, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FileRow } from './file-row.tsx'
import { useEmailSignature } from './use-email-signature.ts'
import { useDeleteFile } from './use-files.ts'
import { VirtualList } from './virtual-list.tsx'

/** Above this number of rows, only the visible ones are drawn. */
const mostRowsDrawn = 100

export interface FileListProps {
  /** The name of the list for screen readers: 'My Files'. */
  label: string
  files: readonly StoredFile[]
  tier: Tier
  now: Date
}

function rowId(file: StoredFile) {
  return `file-${file.id}`
}

/**
 * A list of files with their links and actions. It asks before it deletes a file. Then the focus
 * goes to the row that takes the place of the deleted one.
 */
export function FileList({ label, files, tier, now }: FileListProps) {
  const deleteFile = useDeleteFile()
  const signature = useEmailSignature()
  const [asked, setAsked] = useState<StoredFile | null>(null)
  const [isAsking, setAsking] = useState(false)
  const focusAfter = useRef<string | null>(null)

  // The function stays the same object, so that scrolling draws no row twice.
  const ask = useCallback((file: StoredFile) => {
    focusAfter.current = null
    setAsked(file)
    setAsking(true)
  }, [])
  const confirm = () => {
    if (!asked) return
    const place = files.findIndex(({ id }) => id === asked.id)
    const neighbour = files[place + 1] ?? files[place - 1]
    focusAfter.current = neighbour ? rowId(neighbour) : 'files-heading'
    setAsking(false)
    deleteFile(asked)
  }
  const row = (file: StoredFile) => (
    <FileRow file={file} tier={tier} now={now} signature={signature} onDelete={ask} />
  )

  return (
    <Card className="overflow-clip">
      {files.length > mostRowsDrawn ? (
        <VirtualList label={label} items={files} itemId={rowId} row={row} />
      ) : (
        <ul aria-label={label}>
          {files.map((file) => (
            <li key={file.id} id={rowId(file)} className="border-line border-t first:border-t-0">
              {row(file)}
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={`Delete ${asked?.originalName}?`}
        description="Its link stops working at once and the file is removed. This action cannot be undone."
        confirmLabel="Delete"
        onConfirm={confirm}
        finalFocus={() =>
          focusAfter.current === null ? true : document.getElementById(focusAfter.current)
        }
      />
    </Card>
  )
}
