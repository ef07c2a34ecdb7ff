import { formatSize, formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { FileName } from '../../ui/file-name.tsx'
import type { NamedFile } from '../engine/upload-plan.ts'

/**
 * Returns the size of a file that is over the limit, as text. If both sizes read the same, the text
 * says 'Just over', since equal sizes would explain nothing.
 */
function sizeOver(size: number, limit: number): string {
  const text = formatSize(size)
  return text === formatSize(limit) ? `Just over ${formatSizeLimit(limit)}` : text
}

/** Adds keys for React by position, because files of different folders may have the same name. */
function keyed(files: readonly NamedFile[]) {
  return files.map(({ name, size }, key) => ({ key, name, size }))
}

/**
 * The files that were too large, each with its size in MB or GB (spec §5). A screen reader reads
 * them out.
 */
export function SkippedFiles(props: {
  files: readonly NamedFile[]
  /** In bytes. */
  maxFileSize: number
}) {
  return (
    <div role="alert" className="max-h-48 overflow-y-auto">
      <ul aria-label="Not uploaded">
        {keyed(props.files).map(({ key, name, size }) => (
          <li key={key} className="flex items-baseline justify-between gap-4 py-1">
            <span className="min-w-0 font-[540]">
              <FileName name={name} />
            </span>
            <span className="shrink-0 text-red tabular-nums">
              {sizeOver(size, props.maxFileSize)}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-muted tabular-nums">
        The maximum is {formatSizeLimit(props.maxFileSize)} for each file.
      </p>
    </div>
  )
}
