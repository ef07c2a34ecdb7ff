import { useRef, useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import { longestReason } from '../../shared/rules/report.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { shortName } from '../ui/split-name.ts'
import { takedownWarning } from './report-text.ts'
import { useTakeDown } from './use-reports.ts'

/** The dialog's title shows at most this many characters of a file's name. */
const longestName = 60

/**
 * Returns the dialog that asks for the reason of a takedown, and a function that opens it.
 * @param headingId the element that gets the focus after a takedown, because the report's row has
 * disappeared.
 */
export function useTakedown(headingId: string) {
  const [isAsking, setAsking] = useState(false)
  /** The report that the dialog asks about. The dialog still shows the report while it closes. */
  const [asked, setAsked] = useState<Report | null>(null)
  const isDone = useRef(false)
  const ask = (report: Report) => {
    isDone.current = false
    setAsked(report)
    setAsking(true)
  }
  const close = () => setAsking(false)
  const dialog = asked ? (
    <FormDialog
      open={isAsking}
      onOpenChange={setAsking}
      title={`Take down ${shortName(asked.file.originalName, longestName)}`}
      description={takedownWarning(asked.file)}
      finalFocus={() => (isDone.current ? document.getElementById(headingId) : true)}
    >
      <Question
        report={asked}
        onCancel={close}
        onDone={() => {
          isDone.current = true
          close()
        }}
      />
    </FormDialog>
  ) : null
  return { ask, dialog }
}

interface QuestionProps {
  report: Report
  onCancel: () => void
  onDone: () => void
}

function Question({ report, onCancel, onDone }: QuestionProps) {
  const [errors, setErrors] = useState<{ reason?: string }>({})
  const { mutateAsync: takeDown } = useTakeDown(report)
  const submit = async ({ reason }: { reason: string }): Promise<'stay'> => {
    if (reason.trim() === '') {
      setErrors({ reason: 'Please say why.' })
      return 'stay'
    }
    setErrors({})
    try {
      await takeDown(reason)
      onDone()
    } catch {
      // The mutation has already shown the failure. The dialog stays open for another try.
    }
    return 'stay'
  }
  return (
    <Form names={['reason']} errors={errors} onSubmit={submit}>
      {(busy) => (
        <>
          <TextField
            label="Reason"
            name="reason"
            rows={4}
            maxLength={longestReason}
            hint="The owner reads it, in a letter and in My Files."
            required
            error={errors.reason}
          />
          <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">
            <Button disabled={busy} onClick={onCancel}>
              Cancel
            </Button>
            <Button type="submit" variant="danger" pending={busy} pendingLabel="Taking down…">
              Take down
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
