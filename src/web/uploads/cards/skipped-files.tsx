import { formatSize } from '../../../shared/rules/file-size.ts'
import { FileName } from '../../ui/file-name.tsx'
import type { NamedFile } from '../engine/upload-plan.ts'

/** A size that is over a limit, never in the very words of the limit. */
const sizeOver = (size: number, limit: number): string => {
  const text = formatSize(size)
  return text === formatSize(limit) ? `Just over ${text}` : text
}

/** Two files of different folders may have the same name. */
const keyed = (files: readonly NamedFile[]) =>
  files.map(({ name, size }, key) => ({ key, name, size }))

/** The files that were too large, each with its size in MB or GB (spec §5), read out as they come. */
export const SkippedFiles = (props: {
  files: readonly NamedFile[]
  /** Bytes. */
  maxFileSize: number
}) => (
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
      The maximum is {formatSize(props.maxFileSize)} for each file.
    </p>
  </div>
)
