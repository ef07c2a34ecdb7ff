import { Trash2 } from 'lucide-react'
import type { LinkFile } from '../../shared/contract/links.ts'
import { fileKind } from '../../shared/rules/files/file-kind.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { FileName } from '../ui/file-name.tsx'
import { KindIcon } from './kind-icon.tsx'
import { rowId } from './link-dates.ts'
import type { ListedLink } from './listed-link.ts'

/** What is worth saying about a file; null for one that is simply there. */
function stateText({ state, receivedBytes, size, ...file }: LinkFile): string | null {
  if (state === 'uploading') {
    return receivedBytes === 0
      ? 'Waiting to be uploaded'
      : `Uploading… ${Math.floor((receivedBytes / size) * 100)}%`
  }
  if (file.takenDownAt !== null) return `Taken down: ${file.takedownReason ?? ''}`
  return file.purgingAt === null ? null : 'Deleted'
}

export interface LinkFilesProps {
  id: string
  link: ListedLink
  onDelete: (file: LinkFile) => void
}

/** The files of a link, with a button to delete each. The browser skips those out of view. */
export function LinkFiles({ id, link, onDelete }: LinkFilesProps) {
  return (
    <ul
      id={id}
      aria-label={`Files of ${link.name}`}
      className="border-line border-t bg-paper sm:pl-[52px]"
    >
      {link.files.map((file) => (
        <li
          key={file.id}
          id={rowId(file)}
          className="flex items-center gap-3 border-line border-t px-4 py-2 [contain-intrinsic-size:auto_57px] [content-visibility:auto] first:border-t-0 sm:px-5"
        >
          <span className="text-muted">
            <KindIcon kind={fileKind({ ...file, originalName: file.name })} size={18} />
          </span>
          <div className="min-w-0 flex-1">
            <FileName name={file.name} />
            <p className="text-muted text-sm tabular-nums wrap-anywhere">
              {[formatSize(file.size), formatCount(file.downloadCount, 'download'), stateText(file)]
                .filter((text) => text !== null)
                .join(' · ')}
            </p>
          </div>
          {/* A plain button, because a thousand tooltips would be slow. */}
          <button
            type="button"
            aria-label={`Delete ${file.name}`}
            title={`Delete ${file.name}`}
            onClick={() => onDelete(file)}
            className="grid size-8 shrink-0 cursor-pointer place-items-center rounded-[8px] text-muted transition-colors duration-120 hover:bg-[color-mix(in_oklab,transparent,var(--ink)_7%)] hover:text-ink pointer-coarse:size-11"
          >
            <Trash2 aria-hidden="true" size={18} strokeWidth={1.8} />
          </button>
        </li>
      ))}
    </ul>
  )
}
