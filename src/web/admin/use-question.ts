import { useRef, useState } from 'react'

/**
 * Keeps what a dialog asks about, and whether it is open. The dialog asks before an action of the
 * administrator. It still shows its text while it closes.
 * @param headingId the id of the element that gets the focus after the action, because the row with
 * the pressed button may be gone. After a cancel, the focus returns to the button.
 */
export function useQuestion<Subject>(headingId: string) {
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState<Subject | null>(null)
  const isDone = useRef(false)
  return {
    /** What the dialog asks about; null before the first question. */
    asked,
    /** Opens the dialog. */
    ask: (subject: Subject) => {
      isDone.current = false
      setAsked(subject)
      setOpen(true)
    },
    /** Closes the dialog without the action. */
    cancel: () => setOpen(false),
    /** Closes the dialog after the action. */
    finish: () => {
      isDone.current = true
      setOpen(false)
    },
    /** The props of the dialog. */
    dialogProps: {
      open: isOpen,
      onOpenChange: setOpen,
      finalFocus: () => (isDone.current ? document.getElementById(headingId) : true),
    },
  }
}
