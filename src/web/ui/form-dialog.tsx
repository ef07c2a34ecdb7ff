import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { backdropLook, popupLook, widePopupLook } from './dialog-look.ts'

export interface FormDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: ReactNode
  /** A form. Its first field gets the focus. */
  children: ReactNode
  /** Makes the dialog wider, for more than a few fields. */
  wide?: boolean
  /**
   * Returns the element that gets the focus when the dialog closes, or true for the element that
   * had it before.
   */
  finalFocus?: () => HTMLElement | true | null
}

/**
 * A dialog with a form. Escape and a click outside close it without a change. The form itself must
 * have a Cancel button that does the same.
 */
export function FormDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  wide = false,
  finalFocus,
}: FormDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropLook} />
        <Dialog.Popup className={wide ? widePopupLook : popupLook} finalFocus={finalFocus}>
          <Dialog.Title className="text-lg wrap-anywhere">{title}</Dialog.Title>
          <Dialog.Description className="mt-2 mb-5 text-muted">{description}</Dialog.Description>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
