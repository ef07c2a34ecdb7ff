import type { ReactNode } from 'react'

export interface CardProps {
  children: ReactNode
  /** Lifts it off the page with the one soft shadow: for the single card of a page. */
  floating?: boolean
  /** Layout only (width, padding, grid); colours and corners are the card's. */
  className?: string
}

/** A surface with a hairline round its content. It brings no padding: rows reach its edges. */
export function Card({ children, floating = false, className = '' }: CardProps) {
  return (
    <div
      className={`rounded-card border border-line bg-surface ${floating ? 'shadow-float' : ''} ${className}`}
    >
      {children}
    </div>
  )
}
