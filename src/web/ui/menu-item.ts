import type { ReactNode } from 'react'

/** An action in a menu. */
export interface MenuItem {
  label: string
  icon: ReactNode
  onSelect: () => void
  /** A sentence that says why the item is unavailable. */
  unavailable?: string | undefined
}
