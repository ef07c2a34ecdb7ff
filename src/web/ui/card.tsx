import type { ReactNode } from 'react'

export interface CardProps {
  children: ReactNode
  /** Adds a shadow. Use this for a page's only card. */
  floating?: boolean
  /** Layout classes only (width, padding, grid). The card sets colors and corners. */
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
