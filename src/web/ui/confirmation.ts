import type { ReactNode } from 'react'
import type { ButtonProps } from './button.tsx'

export interface ConfirmOptions {
  title: string
  /** Says what the action does, and whether it can be undone. */
  description: ReactNode
  /** The affected items, such as a list of files. Widens the dialog. */
  details?: ReactNode
  /** The confirm button's text, which names the action, such as 'Delete'. */
  confirmLabel: string
  /** The confirm button's variant. The default signals a destructive action. */
  confirmVariant?: ButtonProps['variant']
  /** Returns the element to focus after confirmation, if the action removes the pressed button. */
  focusAfter?: () => HTMLElement | null
}

/** A question and what to do with its answer. */
export interface Confirmation {
  options: ConfirmOptions
  resolve: (isConfirmed: boolean) => void
}
