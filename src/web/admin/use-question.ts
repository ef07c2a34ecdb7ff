import { useRef, useState } from 'react'

/**
 * Keeps what a dialog asks about before an act of the administrator. The dialog still shows it while
 * it closes.
 * @param headingId the element that gets the focus after the act, because the row that had it has
 * disappeared. After a cancel the focus goes back.
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
    /** Closes the dialog without the act. */
    cancel: () => setOpen(false),
    /** Closes the dialog after the act. */
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
