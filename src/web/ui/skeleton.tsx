import type { ReactNode } from 'react'

export interface SkeletonProps {
  /** Width, height and corners of what will come, as classes: 'h-4 w-32'. */
  className: string
}

/** A grey shape in the place of something that is loading. It says nothing to screen readers. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <span
      aria-hidden="true"
      className={`appear-late block rounded-[6px] bg-[color-mix(in_oklab,var(--paper),var(--ink)_7%)] ${className}`}
    />
  )
}

export interface LoadingProps {
  /** What is loading, for screen readers: 'Loading your files'. */
  label: string
  children: ReactNode
}

/** Holds the skeletons of one place and tells screen readers that it is loading. */
export function Loading({ label, children }: LoadingProps) {
  return (
    <div role="status" aria-busy="true">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  )
}
