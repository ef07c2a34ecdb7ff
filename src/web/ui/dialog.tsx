import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef } from 'react'
import { Button, type ButtonProps } from './button.tsx'

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

export interface ConfirmDialogProps {
  open: boolean
  /** Called with false when a person cancels. While `pending` the dialog stays open. */
  onOpenChange: (open: boolean) => void
  title: string
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The things that the action changes, such as a list of files. The dialog is wider with them. */
  children?: ReactNode
  /** The text of the confirming button, which names the action: 'Delete'. */
  confirmLabel: string
  /** The look of the confirming button. The default warns that something is destroyed. */
  confirmVariant?: ButtonProps['variant']
  onConfirm: () => void
  /**
   * While true, neither button can be pressed, and the dialog stays open. The caller closes it when
   * the work is done.
   */
  pending?: boolean
  /** The confirm button's text while `pending`: 'Deleting…'. */
  pendingLabel?: string
  /**
   * Returns the element that gets the focus when the dialog closes, or true for the element that
   * had the focus before. Needed if the confirmed action removes that element.
   */
  finalFocus?: () => HTMLElement | true | null
}

/**
 * A dialog that asks before an action that destroys something or costs something. A click outside
 * does not close it. Escape and Cancel close it without the action. Cancel has the focus first.
 */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  confirmLabel,
  confirmVariant = 'danger',
  onConfirm,
  pending = false,
  pendingLabel,
  finalFocus,
}: ConfirmDialogProps) {
  const cancel = useRef<HTMLElement>(null)
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => (pending ? undefined : onOpenChange(next))}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropLook} />
        <AlertDialog.Popup
          className={children ? widePopupLook : popupLook}
          initialFocus={cancel}
          finalFocus={finalFocus}
        >
          <AlertDialog.Title className="text-lg wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted wrap-anywhere">
            {description}
          </AlertDialog.Description>
          {children}
          <div className="mt-6">
            <ButtonRow>
              <Button ref={cancel} disabled={pending} onClick={() => onOpenChange(false)}>
                Cancel
              </Button>
              <Button
                variant={confirmVariant}
                pending={pending}
                pendingLabel={pendingLabel}
                onClick={onConfirm}
              >
                {confirmLabel}
              </Button>
            </ButtonRow>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

/** The classes of the dimmed layer between the page and a dialog. */
const backdropLook =
  'fixed inset-0 z-40 bg-[rgb(17_19_18/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

const popup =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0'

const popupLook = `${popup} w-[min(440px,calc(100vw-32px))]`

/** The classes of a dialog that shows more than a sentence, such as a list or a drawing. */
const widePopupLook = `${popup} w-[min(520px,calc(100vw-32px))]`
