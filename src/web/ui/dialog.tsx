import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog } from '@base-ui/react/dialog'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { SubmitButton, useFormState } from './form.tsx'

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
  /** Called when the dialog has disappeared. */
  onClosed?: () => void
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
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export interface DialogButtonsProps extends Pick<ButtonProps, 'variant' | 'pendingLabel'> {
  /** The text of the button that sends the form. It names the action: 'Delete'. */
  label: string
  onCancel: () => void
}

/** The buttons at the end of a form in a dialog: Cancel, and the one that sends the form. */
export function DialogButtons({ label, onCancel, ...submit }: DialogButtonsProps) {
  return (
    <ButtonRow>
      <Button disabled={useFormState().busy} onClick={onCancel}>
        Cancel
      </Button>
      <SubmitButton {...submit}>{label}</SubmitButton>
    </ButtonRow>
  )
}

/** The row of buttons at the end of a dialog. On a phone the buttons share the whole width. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">{children}</div>
}

/** What `confirm` asks. */
export interface Question {
  title: string
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The things that the action changes, such as a list of files. The dialog is wider with them. */
  details?: ReactNode
  /** The text of the confirming button, which names the action: 'Delete'. */
  confirmLabel: string
  /** The look of the confirming button. The default warns that something is destroyed. */
  confirmVariant?: ButtonProps['variant']
  /** Returns the element to focus after a yes, if the action removes the pressed button. */
  focusAfter?: () => HTMLElement | null
}

let ask: ((question: Question, answer: (isConfirmed: boolean) => void) => void) | undefined

/**
 * Asks before an action that destroys something or costs something. A click outside does not close
 * the dialog. Escape and Cancel mean no. Cancel has the focus first.
 */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((answer) => ask?.(question, answer))
}

/** Shows the dialogs of `confirm`. Used once, at the root of the application. */
export function ConfirmDialogs() {
  const [question, setQuestion] = useState<Question | null>(null)
  const [isOpen, setOpen] = useState(false)
  const cancel = useRef<HTMLElement>(null)
  const isConfirmed = useRef(false)
  const answer = useRef<(isConfirmed: boolean) => void>(undefined)
  useEffect(() => {
    ask = (next, settle) => {
      isConfirmed.current = false
      answer.current = settle
      setQuestion(next)
      setOpen(true)
    }
  }, [])
  const close = (confirmed: boolean) => {
    isConfirmed.current = confirmed
    setOpen(false)
    answer.current?.(confirmed)
  }
  if (question === null) return null
  const { title, description, details, confirmLabel, confirmVariant = 'danger' } = question
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={() => close(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup
          className={details ? widePopupClass : popupClass}
          initialFocus={cancel}
          finalFocus={() => (isConfirmed.current && question.focusAfter?.()) || true}
        >
          <AlertDialog.Title className="text-lg wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted wrap-anywhere">
            {description}
          </AlertDialog.Description>
          {details}
          <div className="mt-6">
            <ButtonRow>
              <Button ref={cancel} onClick={() => close(false)}>
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

/**
 * Remembers what a form dialog is about, also while it closes.
 * @param headingId the element that gets the focus after `finish`, because the pressed button may
 * be gone. After a cancel, the focus returns to the button.
 */
export function useSubject<Subject>(headingId: string) {
  const [subject, setSubject] = useState<Subject | null>(null)
  const [open, setOpen] = useState(false)
  const isDone = useRef(false)
  const close = (done: boolean) => {
    isDone.current = done
    setOpen(false)
  }
  return {
    /** null before the dialog was first opened. */
    subject,
    open: (next: Subject) => {
      setSubject(next)
      setOpen(true)
    },
    cancel: () => close(false),
    finish: () => close(true),
    dialogProps: {
      open,
      onOpenChange: () => close(false),
      finalFocus: () => (isDone.current ? document.getElementById(headingId) : true),
    },
  }
}

/** The classes of the dimmed layer between the page and a dialog. */
const backdropClass =
  'fixed inset-0 z-40 bg-[rgb(17_19_18/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

const popup =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0'

const popupClass = `${popup} w-[min(440px,calc(100vw-32px))]`

/** The classes of a dialog that shows more than a sentence, such as a list or a drawing. */
const widePopupClass = `${popup} w-[min(520px,calc(100vw-32px))]`
