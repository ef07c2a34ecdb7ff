import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog } from '@base-ui/react/dialog'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
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

let showConfirmDialog:
  | ((question: ConfirmOptions, resolve: (isConfirmed: boolean) => void) => void)
  | undefined

/**
 * Asks for confirmation before an action that is destructive or has a cost. Escape and Cancel
 * resolve to false; a click outside is ignored. Cancel has focus initially.
 */
export function confirm(question: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => showConfirmDialog?.(question, resolve))
}

/** Renders the dialogs opened by `confirm`. Used once, at the root of the application. */
export function ConfirmDialogs() {
  const [question, setQuestion] = useState<ConfirmOptions | null>(null)
  const [isOpen, setOpen] = useState(false)
  const cancelButtonRef = useRef<HTMLElement>(null)
  const isConfirmedRef = useRef(false)
  const resolveRef = useRef<(isConfirmed: boolean) => void>(undefined)
  useEffect(() => {
    showConfirmDialog = (newQuestion, resolve) => {
      isConfirmedRef.current = false
      resolveRef.current = resolve
      setQuestion(newQuestion)
      setOpen(true)
    }
  }, [])
  const close = (confirmed: boolean) => {
    isConfirmedRef.current = confirmed
    setOpen(false)
    resolveRef.current?.(confirmed)
  }
  if (question === null) return null
  const { title, description, details, confirmLabel, confirmVariant = 'danger' } = question
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={() => close(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup
          className={details ? widePopupClass : popupClass}
          initialFocus={cancelButtonRef}
          finalFocus={() => (isConfirmedRef.current && question.focusAfter?.()) || true}
        >
          <AlertDialog.Title className="text-lg wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted wrap-anywhere">
            {description}
          </AlertDialog.Description>
          {details}
          <div className="mt-6">
            <ButtonRow>
              <Button ref={cancelButtonRef} onClick={() => close(false)}>
                Cancel
              </Button>
              <Button variant={confirmVariant} onClick={() => close(true)}>
                {confirmLabel}
              </Button>
            </ButtonRow>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

const backdropClass =
  'fixed inset-0 z-40 bg-[rgb(17_19_18/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

const popupBaseClass =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0'

const popupClass = `${popupBaseClass} w-[min(440px,calc(100vw-32px))]`

/** For dialogs that show more than a sentence, such as a list or a drawing. */
const widePopupClass = `${popupBaseClass} w-[min(520px,calc(100vw-32px))]`
