import { useCallback, useRef, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useDeleteFile } from './change-files.ts'
import { FileRow } from './file-row.tsx'
import { filesHeadingId } from './files-heading.tsx'
import { LoadingRow } from './files-states.tsx'
import { RenewDialog } from './renew-dialog.tsx'
import { useEmailSignature } from './use-email-signature.ts'
import { VirtualList } from './virtual-list.tsx'

/** Above this number of rows, only the visible ones are drawn. */
const mostRowsDrawn = 100

export interface FileListProps {
  /** The name of the list for screen readers: 'My Files'. */
  label: string
  files: readonly StoredFile[]
  tier: Tier
  now: Date
  /** How many files the list has at least, if there are more than `files`. */
  total?: number | undefined
  /** Whether there can be more files than `total`. */
  isOpenEnded?: boolean
  /** Called with the place of the last row that is to be shown soon. */
  onReach?: (place: number) => void
}

/** What a dialog asks about. `turn` tells one opening from the next. */
interface Question {
  about: 'delete' | 'renew'
  file: StoredFile
  turn: number
}

function rowId(file: StoredFile) {
  return `file-${file.id}`
}

/**
 * A list of files with their links and actions. It asks before it deletes a file or renews a link.
 * Then the focus goes back to where it was. If that is gone, it goes to the file's row, or to the
 * row that takes the place of a deleted one.
 */
export function FileList({ label, files, tier, now, ...paging }: FileListProps) {
  const deleteFile = useDeleteFile()
  const signature = useEmailSignature()
  const [question, setQuestion] = useState<Question | null>(null)
  const [isAsking, setAsking] = useState(false)
  const opener = useRef<Element | null>(null)
  const focusAfter = useRef<string | null>(null)

  // The functions stay the same objects, so that scrolling draws no row twice.
  const ask = useCallback((about: Question['about'], file: StoredFile) => {
    opener.current = document.activeElement
    focusAfter.current = rowId(file)
    setQuestion((before) => ({ about, file, turn: (before?.turn ?? 0) + 1 }))
    setAsking(true)
  }, [])
  const askToDelete = useCallback((file: StoredFile) => ask('delete', file), [ask])
  const askToRenew = useCallback((file: StoredFile) => ask('renew', file), [ask])
  const close = () => setAsking(false)
  const finalFocus = () =>
    opener.current?.isConnected ? true : document.getElementById(focusAfter.current ?? '')

  const confirmDeletion = (file: StoredFile) => {
    const place = files.findIndex(({ id }) => id === file.id)
    const neighbour = files[place + 1] ?? files[place - 1]
    opener.current = null
    focusAfter.current = neighbour ? rowId(neighbour) : filesHeadingId
    close()
    deleteFile(file)
  }
  const row = (file: StoredFile) => (
    <FileRow
      file={file}
      tier={tier}
      now={now}
      signature={signature}
      onDelete={askToDelete}
      onRenew={askToRenew}
    />
  )

  return (
    <Card className="overflow-clip">
      {paging.total !== undefined || files.length > mostRowsDrawn ? (
        <VirtualList
          label={label}
          items={files}
          itemId={rowId}
          row={row}
          placeholder={<LoadingRow />}
          {...paging}
        />
      ) : (
        <ul aria-label={label}>
          {files.map((file) => (
            <li key={file.id} id={rowId(file)} className="border-line border-t first:border-t-0">
              {row(file)}
            </li>
          ))}
        </ul>
      )}
      {question?.about === 'renew' ? (
        <RenewDialog
          key={question.turn}
          file={question.file}
          tier={tier}
          open={isAsking}
          onClose={close}
          now={now}
          signature={signature}
          finalFocus={finalFocus}
        />
      ) : null}
      {question?.about === 'delete' ? (
        <ConfirmDialog
          key={question.turn}
          open={isAsking}
          onOpenChange={setAsking}
          title={`Delete ${question.file.originalName}?`}
          description="Its link stops working at once and the file is removed. This action cannot be undone."
          confirmLabel="Delete"
          onConfirm={() => confirmDeletion(question.file)}
          finalFocus={finalFocus}
        />
      ) : null}
    </Card>
  )
}
