import type { ReactNode } from 'react'
import { Card } from './card.tsx'

export interface SkeletonProps {
  /**
   * Classes that set the width, height and corners to match the expected content, such as 'h-4
   * w-32'.
   */
  className: string
}

/** A gray placeholder for content that is loading. Hidden from screen readers. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <span
      aria-hidden="true"
      className={`appear-late block rounded-[6px] bg-[color-mix(in_oklab,transparent,var(--ink)_9%)] ${className}`}
    />
  )
}

export interface LoadingProps {
  /** The text for screen readers, such as 'Loading your files'. */
  label: string
  children: ReactNode
}

/** A container for skeletons that tells screen readers that content is loading. */
export function Loading({ label, children }: LoadingProps) {
  return (
    <div role="status" aria-busy="true">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}

/** A placeholder for a row that is loading. */
export function LoadingRow() {
  return (
    <div className="flex items-center gap-4 px-4 py-[17px] sm:px-5">
      <Skeleton className="size-9 shrink-0" />
      <div className="grid flex-1 gap-2">
        <Skeleton className="h-3.5 w-3/5 max-w-80" />
        <Skeleton className="h-3 w-28" />
      </div>
      <Skeleton className="hidden h-8 w-[164px] sm:block" />
    </div>
  )
}

export function RowsLoading({ label, rows }: { label: string; rows: number }) {
  return (
    <Card>
      <Loading label={label}>
        {Array.from({ length: rows }, (_, row) => row).map((row) => (
          <div key={row} className="border-line border-t first-of-type:border-t-0">
            <LoadingRow />
          </div>
        ))}
      </Loading>
    </Card>
  )
}
