import { splitName } from './split-name.ts'

/**
 * Shows a file name on one line. If it is too long, it is cut in the middle, so that its end stays
 * readable. A tooltip shows the whole name, and screen readers read the whole name.
 */
export function FileName({ name }: { name: string }) {
  const { head, tail } = splitName(name)
  return (
    <span title={name} className="block min-w-0">
      <span className="sr-only">{name}</span>
      <span aria-hidden="true" dir="auto" className="flex w-fit max-w-full whitespace-pre">
        <span className="min-w-0 shrink-[99999] truncate whitespace-pre">{head}</span>
        <span className="min-w-0 truncate whitespace-pre">{tail}</span>
      </span>
    </span>
  )
}
