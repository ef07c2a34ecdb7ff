import type { LinkFile } from '../../shared/contract/links.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { confirm } from '../ui/confirm.tsx'
import { FileName } from '../ui/file-name.tsx'
import { filesHeadingId } from './files-heading.tsx'

const maxListedFiles = 3

/**
 * Asks for confirmation before several files are deleted, in the words of spec §5. States the total
 * size if all files are loaded.
 * @param files the loaded files. The dialog lists the first few.
 * @param count the number of files to delete, loaded or not.
 */
export function confirmDeletion(
  files: readonly LinkFile[],
  count = files.length,
): Promise<boolean> {
  return confirm({
    title: count === 1 ? 'Delete 1 file' : `Delete ${count.toLocaleString('en')} files`,
    description: `Are you sure you want to delete ${count} file(s)? This action cannot be undone.`,
    details: files.length > 0 ? <FileNames files={files} count={count} /> : null,
    confirmLabel: 'Delete',
    // The deletion also removes the pressed button.
    focusAfter: () => document.getElementById(filesHeadingId),
  })
}

function FileNames({ files, count }: { files: readonly LinkFile[]; count: number }) {
  const listedFiles = files.slice(0, maxListedFiles)
  const unlistedCount = count - listedFiles.length
  const size = files.length === count ? files.reduce((sum, file) => sum + file.size, 0) : null
  return (
    <ul className="mt-4 divide-y divide-line rounded-control border border-line text-sm">
      {listedFiles.map((file) => (
        <li key={file.id} className="flex items-baseline justify-between gap-4 px-3 py-2">
          <span className="min-w-0 font-[540]">
            <FileName name={file.name} />
          </span>
          <span className="shrink-0 text-muted tabular-nums">{formatSize(file.size)}</span>
        </li>
      ))}
      {unlistedCount > 0 ? (
        <li className="flex flex-wrap justify-between gap-x-4 px-3 py-2 text-muted tabular-nums">
          <span>and {unlistedCount.toLocaleString('en')} more</span>
          {size === null ? null : <span>{formatSize(size)} in all</span>}
        </li>
      ) : null}
    </ul>
  )
}
