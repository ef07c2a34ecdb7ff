import { useRef, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/dialog.tsx'
import { FileName } from '../ui/file-name.tsx'
import { filesHeadingId } from './files-heading.tsx'

/** The question names at most this many files. */
const maxNamed = 3

const none: readonly StoredFile[] = []

/** A mutation that deletes files. */
interface Deletion {
  mutate: (
    files: readonly StoredFile[],
    options: { onSuccess: () => void; onSettled: () => void },
  ) => void
  isPending: boolean
}

/**
 * Returns a function that asks whether to delete files, and the dialog for this question. The
 * dialog keeps its text while it closes, although the files may be gone by then.
 */
export function useDeleteDialog({ mutate, isPending }: Deletion) {
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState({ files: none, count: 0 })
  const isDeleted = useRef(false)
  /** @param count how many files will be deleted, if more than the loaded `files`. */
  const ask = (files: readonly StoredFile[], count = files.length) => {
    isDeleted.current = false
    setAsked({ files, count })
    setOpen(true)
  }
  const confirm = () =>
    mutate(asked.files, {
      onSuccess: () => {
        isDeleted.current = true
      },
      onSettled: () => setOpen(false),
    })
  const dialog = (
    <DeleteFilesDialog
      {...asked}
      open={isOpen}
      onOpenChange={setOpen}
      pending={isPending}
      onConfirm={confirm}
      // The pressed button disappears after the deletion.
      finalFocus={() => (isDeleted.current ? document.getElementById(filesHeadingId) : true)}
    />
  )
  return { ask, dialog }
}

interface DeleteFilesDialogProps
  extends Pick<
    ConfirmDialogProps,
    'open' | 'onOpenChange' | 'pending' | 'onConfirm' | 'finalFocus'
  > {
  /** How many files will be deleted. */
  count: number
  /** Those of them that are loaded. The question names the first ones. */
  files: readonly StoredFile[]
}

/**
 * Asks before several files are deleted, in the words of spec §5. If all of them are loaded, also
 * says how large they are together.
 */
function DeleteFilesDialog({ count, files, ...dialog }: DeleteFilesDialogProps) {
  const named = files.slice(0, maxNamed)
  const others = count - named.length
  const size = files.length === count ? files.reduce((sum, file) => sum + file.size, 0) : null
  return (
    <ConfirmDialog
      {...dialog}
      title={count === 1 ? 'Delete 1 file' : `Delete ${count.toLocaleString('en')} files`}
      description={`Are you sure you want to delete ${count} file(s)? This action cannot be undone.`}
      confirmLabel="Delete"
      pendingLabel="Deleting…"
    >
      {named.length === 0 ? null : (
        <ul className="mt-4 divide-y divide-line rounded-control border border-line text-sm">
          {named.map((file) => (
            <li key={file.id} className="flex items-baseline justify-between gap-4 px-3 py-2">
              <span className="min-w-0 font-[540]">
                <FileName name={file.originalName} />
              </span>
              <span className="shrink-0 text-muted tabular-nums">{formatSize(file.size)}</span>
            </li>
          ))}
          {others > 0 ? (
            <li className="flex flex-wrap justify-between gap-x-4 px-3 py-2 text-muted tabular-nums">
              <span>and {others.toLocaleString('en')} more</span>
              {size === null ? null : <span>{formatSize(size)} in all</span>}
            </li>
          ) : null}
        </ul>
      )}
    </ConfirmDialog>
  )
}
