import type { ReactNode } from 'react'

/**
 * The id of the heading of the shown list. The heading takes the focus when the last row is
 * removed.
 */
export const filesHeadingId = 'files-heading'

export interface FilesHeadingProps {
  title: string
  /** Numbers beside the title, such as the count of active links. */
  children?: ReactNode
}

/** The heading of a list of files. */
export function FilesHeading({ title, children }: FilesHeadingProps) {
  return (
    <div className="mb-3 flex items-baseline justify-between gap-4">
      <h2 id={filesHeadingId} tabIndex={-1} className="text-lg">
        {title}
      </h2>
      {children}
    </div>
  )
}

/** The number of links that open now. */
export function ActiveLinks({ count }: { count: number | undefined }) {
  if (count === undefined) return null
  return (
    <p className="text-muted text-sm tabular-nums">
      {count.toLocaleString('en')} active {count === 1 ? 'link' : 'links'}
    </p>
  )
}
