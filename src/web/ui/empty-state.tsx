import type { ReactNode } from 'react'

export interface EmptyStateProps {
  icon: ReactNode
  title: string
  /** Says what to do next, or what happened. */
  children?: ReactNode
  /** A button for the next step. */
  action?: ReactNode
  /** Marks a failure, which screen readers announce immediately. */
  failed?: boolean
}

/** Shown in place of a list that is empty or failed to load. */
export function EmptyState({ icon, title, children, action, failed = false }: EmptyStateProps) {
  return (
    <div
      role={failed ? 'alert' : undefined}
      className="flex flex-col items-center gap-1.5 px-6 py-12 text-center"
    >
      <span
        aria-hidden="true"
        className={`mb-2 grid size-12 place-items-center rounded-[12px] [&_svg]:size-6 ${failed ? 'bg-[color-mix(in_oklab,transparent,var(--red)_12%)] text-red' : 'bg-tint text-accent'}`}
      >
        {icon}
      </span>
      <p className="font-semibold text-lg">{title}</p>
      {children ? <div className="max-w-[44ch] text-muted">{children}</div> : null}
      {action ? <div className="mt-4">{action}</div> : null}
    </div>
  )
}
