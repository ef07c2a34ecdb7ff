import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { backdropLook, popupLook, widePopupLook } from './confirm-dialog.tsx'

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

export interface DialogButtonsProps extends Pick<ButtonProps, 'variant' | 'pendingLabel'> {
  /** The text of the button that sends the form. It names the action: 'Delete'. */
  label: string
  /** Whether the form is being sent. */
  busy: boolean
  onCancel: () => void
}

/** The buttons at the end of a form in a dialog: Cancel, and the one that sends the form. */
export function DialogButtons({
  label,
  busy,
  onCancel,
  variant,
  pendingLabel,
}: DialogButtonsProps) {
  return (
    <ButtonRow>
      <Button disabled={busy} onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" variant={variant} pending={busy} pendingLabel={pendingLabel}>
        {label}
      </Button>
    </ButtonRow>
  )
}

/** The row of buttons at the end of a dialog. On a phone the buttons share the whole width. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">{children}</div>
}
