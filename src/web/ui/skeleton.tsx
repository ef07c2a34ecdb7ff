import type { ReactNode } from 'react'

export interface SkeletonProps {
  /** Width, height and corners of the future content, as classes: 'h-4 w-32'. */
  className: string
}

/** A grey shape in place of content that is being loaded. Screen readers ignore it. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <span
      aria-hidden="true"
      className={`appear-late block rounded-[6px] bg-[color-mix(in_oklab,transparent,var(--ink)_9%)] ${className}`}
    />
  )
}

export interface LoadingProps {
  /** The text for screen readers: 'Loading your files'. */
  label: string
  children: ReactNode
}

/** A container for skeletons. It tells screen readers that their content is being loaded. */
export function Loading({ label, children }: LoadingProps) {
  return (
    <div role="status" aria-busy="true">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}
