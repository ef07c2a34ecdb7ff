import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { backdropLook, popupLook } from './dialog-look.ts'

export interface FormDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: string
  /** A form. Its first field has the focus. */
  children: ReactNode
}

/** A dialog with a form. Escape, a click outside and its own Cancel change nothing. */
export function FormDialog({ open, onOpenChange, title, description, children }: FormDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropLook} />
        <Dialog.Popup className={popupLook}>
          <Dialog.Title className="text-lg">{title}</Dialog.Title>
          <Dialog.Description className="mt-2 mb-5 text-muted">{description}</Dialog.Description>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
