import { Dialog } from '@base-ui/react/dialog'
import { createContext, type ReactNode, useContext } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { backdropClass, popupClass, widePopupClass } from './dialog-classes.ts'
import { SubmitButton, useFormState } from './form.tsx'

/** Closes the enclosing dialog. */
const CloseContext = createContext(() => {})

export interface FormDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: ReactNode
  /** The form. Its first field receives focus. */
  children: ReactNode
  /** Makes the dialog wider, to fit more than a few fields. */
  wide?: boolean
  /**
   * Returns the element to focus when the dialog closes, or true for the previously focused one.
   */
  finalFocus?: () => HTMLElement | true | null
  /** Called after the closing animation. */
  onClosed?: () => void
}

/**
 * A dialog with a form. Escape, a click outside and the Cancel button of `DialogButtons` close it.
 */
export function FormDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  wide = false,
  finalFocus,
  onClosed,
}: FormDialogProps) {
  return (
    <Dialog.Root
      open={open}
      onOpenChange={onOpenChange}
      onOpenChangeComplete={(isOpen) => (isOpen ? undefined : onClosed?.())}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup className={wide ? widePopupClass : popupClass} finalFocus={finalFocus}>
          <Dialog.Title className="text-lg wrap-anywhere">{title}</Dialog.Title>
          <Dialog.Description className="mt-2 mb-5 text-muted">{description}</Dialog.Description>
          <CloseContext value={() => onOpenChange(false)}>{children}</CloseContext>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export interface DialogButtonsProps extends Pick<ButtonProps, 'variant' | 'pendingLabel'> {
  /** The submit button's text, which names the action, such as 'Delete'. */
  label: string
}

/** The buttons that close a dialog and submit its form. */
export function DialogButtons({ label, ...submit }: DialogButtonsProps) {
  return (
    <ButtonRow>
      <Button disabled={useFormState().busy} onClick={useContext(CloseContext)}>
        Cancel
      </Button>
      <SubmitButton {...submit}>{label}</SubmitButton>
    </ButtonRow>
  )
}

/** The row of buttons at the bottom of a dialog. On phones the buttons fill its width. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">{children}</div>
}
