import type { ReactNode } from 'react'

export interface BadgeProps {
  children: ReactNode
  /**
   * `accent` has a pale accent-colored background, `outline` has only a border, `amber` is for
   * warnings and `red` is for errors. Defaults to `accent`.
   */
  tone?: 'accent' | 'outline' | 'amber' | 'red'
}

const toneClasses = {
  accent: 'bg-tint text-accent',
  outline: 'text-muted inset-ring inset-ring-line',
  amber: 'text-amber inset-ring inset-ring-amber',
  red: 'text-red inset-ring inset-ring-red',
}

/** A word in a rounded badge, such as a tier or a status. */
export function Badge({ children, tone = 'accent' }: BadgeProps) {
  return (
    <span
      className={`inline-flex items-center whitespace-nowrap rounded-full px-2 py-0.5 font-semibold text-sm cramped:whitespace-normal forced-colors:border ${toneClasses[tone]}`}
    >
      {children}
    </span>
  )
}
