import { useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import { longestReason } from '../../shared/rules/links/report.ts'
import { linkCode } from '../../shared/rules/links/short-code.ts'
import { useSendsMail } from '../api/public-values.ts'
import { Button } from '../ui/button.tsx'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { shortName } from '../ui/file-name.tsx'
import { Form } from '../ui/form.tsx'
import { linkTakedownWarning, takedownWarning } from './report-text.ts'
import { useQuestion } from './use-question.ts'
import { useTakeDown } from './use-reports.ts'

/** The dialog's title shows at most this many characters of a file's name. */
const longestName = 60

/** A file that the dialog asks about before it is taken down. */
export interface TakedownQuestion {
  /** The name of the file, or its link, in the title of the dialog. */
  what: string
  /** What a takedown will do. */
  warning: string
  shortCode: string
  /** The id of the report that a takedown closes; null if nobody reported the file. */
  reportId: string | null
  onDone?: () => void
}

/** Returns the question about a file that was reported. */
export function ofReport({ id, shortCode, file }: Report): TakedownQuestion {
  return {
    what: shortName(file.originalName, longestName),
    warning: takedownWarning(file),
    shortCode: file.openCode ?? shortCode,
    reportId: id,
  }
}

/** Returns the question about the file with this short code, if nothing else is known about it. */
export function ofLink(shortCode: string): TakedownQuestion {
  return { what: `/s/${shortCode}`, warning: linkTakedownWarning, shortCode, reportId: null }
}

/**
 * Returns the dialog that asks for the reason of a takedown, and a function that opens it.
 * @param headingId the element that gets the focus after a takedown, because the report's row has
 * disappeared.
 */
export function useTakedownDialog(headingId: string) {
  const { asked, ask, cancel, finish, dialogProps } = useQuestion<TakedownQuestion>(headingId)
  const dialog = asked ? (
    <FormDialog {...dialogProps} title={`Take down ${asked.what}`} description={asked.warning}>
      <Question
        takedown={asked}
        onCancel={cancel}
        onDone={() => {
          asked.onDone?.()
          finish()
        }}
      />
    </FormDialog>
  ) : null
  return { ask, dialog }
}

interface QuestionProps {
  takedown: TakedownQuestion
  onCancel: () => void
  onDone: () => void
}

function Question({ takedown, onCancel, onDone }: QuestionProps) {
  const [errors, setErrors] = useState<{ reason?: string }>({})
  const { mutateAsync: takeDown } = useTakeDown(takedown)
  const sendsMail = useSendsMail()
  const submit = async ({ reason }: { reason: string }): Promise<'stay'> => {
    if (reason.trim() === '') {
      setErrors({ reason: 'Please give a reason.' })
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
            hint={readsReason(sendsMail)}
            required
            error={errors.reason}
          />
          <DialogButtons
            label="Take down"
            variant="danger"
            pendingLabel="Taking down…"
            busy={busy}
            onCancel={onCancel}
          />
        </>
      )}
    </Form>
  )
}

/** Says where the owner of the file reads the reason of a takedown. */
function readsReason(sendsMail: boolean | undefined): string {
  if (sendsMail) return 'The owner sees it in an email and in My Files.'
  const where = 'The owner sees it in My Files.'
  return sendsMail === false ? `${where} This server sends no email.` : where
}

/** The longest text that the field takes, in characters. Addresses of links are far shorter. */
const longestLink = 500

export interface TakeDownLinkProps {
  /** Asks whether to take the file down, and for the reason. */
  onAsk: (takedown: TakedownQuestion) => void
}

/** Takes down a file that nobody reported, by its link or its short code. */
export function TakeDownLink({ onAsk }: TakeDownLinkProps) {
  const [typed, setTyped] = useState('')
  const [errors, setErrors] = useState<{ link?: string }>({})
  const submit = async ({ link }: { link: string }): Promise<'stay'> => {
    const code = linkCode(link)
    setErrors(code === null ? { link: 'This is not a link to a file, nor the code of one.' } : {})
    if (code !== null) onAsk({ ...ofLink(code), onDone: () => setTyped('') })
    return 'stay'
  }
  return (
    <Form names={['link']} errors={errors} onSubmit={submit}>
      {() => (
        <div className="mb-3 flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label="Link or code"
              name="link"
              value={typed}
              onValueChange={(value) => {
                setTyped(value)
                setErrors({})
              }}
              hint="For a file that nobody has reported."
              autoComplete="off"
              verbatim
              maxLength={longestLink}
              error={errors.link}
            />
          </div>
          {/* The padding has the height of the label's line, so the button stands beside the
              field. */}
          <div className="pt-[26px] [&>button]:h-11">
            <Button type="submit" label="Take down this file">
              Take down
            </Button>
          </div>
        </div>
      )}
    </Form>
  )
}
