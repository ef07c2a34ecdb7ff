import type { File as StoredFile } from '../../shared/contract/files.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FileName } from '../ui/file-name.tsx'

/** The question names at most this many files. */
const mostNamed = 3

export interface DeleteFilesDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** How many files are deleted. */
  count: number
  /** The files to delete that the browser has loaded. The question names the first of them. */
  files: readonly StoredFile[]
  pending: boolean
  onConfirm: () => void
  finalFocus: () => HTMLElement | true | null
}

/**
 * Asks before several files are deleted, in the words of spec §8. If the browser has loaded all of
 * them, the question also says how large they are together.
 */
export function DeleteFilesDialog({ count, files, ...dialog }: DeleteFilesDialogProps) {
  const named = files.slice(0, mostNamed)
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
