import type { ReactNode } from 'react'

export interface CardProps {
  children: ReactNode
  /** Adds a shadow. Use it for the only card of a page. */
  floating?: boolean
  /** Classes for layout only (width, padding, grid). The card sets colours and corners. */
  className?: string
}

/** A surface with a thin border. It has no padding, so rows can reach its edges. */
export function Card({ children, floating = false, className = '' }: CardProps) {
  return (
    <div
      className={`rounded-card border border-line bg-surface ${floating ? 'shadow-float' : ''} ${className}`}
    >
      {children}
    </div>
  )
}
