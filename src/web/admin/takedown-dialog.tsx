import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import { longestReason } from '../../shared/rules/links/report.ts'
import { linkCode } from '../../shared/rules/links/short-code.ts'
import { call } from '../api/call.ts'
import { useSendsMail } from '../api/public-values.ts'
import { DialogButtons, FormDialog, useSubject } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { shortName } from '../ui/file-name.tsx'
import { type FieldErrors, Form, SubmitButton } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdmin, showAdminFailure } from './admin-queries.ts'
import { linkTakedownWarning, takedownWarning } from './report-text.ts'
import { FieldWithButton } from './setting-form.tsx'

/** The dialog's title shows at most this many characters of a file's name. */
const longestName = 60

/** A file that the dialog asks about before it is taken down. */
export interface TakedownQuestion {
  /** The name of the file, or its link, in the title of the dialog. */
  what: string
  /** What a takedown will do. */
  warning: string
  shortCode: string
  onDone?: () => void
}

/** Returns the question about a file that was reported. */
export function ofReport({ shortCode, file }: Report): TakedownQuestion {
  return {
    what: shortName(file.originalName, longestName),
    warning: takedownWarning(file),
    shortCode: file.openCode ?? shortCode,
  }
}

/** Returns the question about the file with this short code, if nothing else is known about it. */
export function ofLink(shortCode: string): TakedownQuestion {
  return { what: `/s/${shortCode}`, warning: linkTakedownWarning, shortCode }
}

/** Returns the dialog that asks for the reason of a takedown, and a function that opens it. */
export function useTakedownDialog() {
  const { subject, open, cancel, finish, dialogProps } = useSubject<TakedownQuestion>('reports')
  const dialog = subject ? (
    <FormDialog {...dialogProps} title={`Take down ${subject.what}`} description={subject.warning}>
      <ReasonForm
        shortCode={subject.shortCode}
        onCancel={cancel}
        onDone={() => {
          subject.onDone?.()
          finish()
        }}
      />
    </FormDialog>
  ) : null
  return { open, dialog }
}

interface ReasonFormProps {
  shortCode: string
  onCancel: () => void
  onDone: () => void
}

function ReasonForm({ shortCode, onCancel, onDone }: ReasonFormProps) {
  const client = useQueryClient()
  const [errors, setErrors] = useState<FieldErrors>({})
  const { mutateAsync: takeDown } = useMutation({
    mutationFn: (reason: string) => call('takeDown', { body: { shortCode, reason } }),
    onSuccess: ({ message }) => {
      void refreshAdmin(client)
      toast({ title: 'Taken down', description: message })
      onDone()
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to take the file down'),
  })
  const sendsMail = useSendsMail()
  const submit = async ({ reason }: { reason: string }) => {
    const isGiven = reason.trim() !== ''
    setErrors(isGiven ? {} : { reason: 'Please give a reason.' })
    // After a failure the dialog stays open for another try.
    if (isGiven) await takeDown(reason).catch(() => undefined)
  }
  return (
    <Form errors={errors} onSubmit={submit}>
      <TextField
        label="Reason"
        name="reason"
        rows={4}
        maxLength={longestReason}
        hint={readsReason(sendsMail)}
        required
      />
      <DialogButtons
        label="Take down"
        variant="danger"
        pendingLabel="Taking down…"
        onCancel={onCancel}
      />
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
  /** How many files were taken down. Each time, the form begins empty again. */
  const [count, setCount] = useState(0)
  const [errors, setErrors] = useState<FieldErrors>({})
  const submit = async ({ link }: { link: string }) => {
    const code = linkCode(link)
    setErrors(code === null ? { link: 'This is not a link to a file, nor the code of one.' } : {})
    if (code !== null) onAsk({ ...ofLink(code), onDone: () => setCount(count + 1) })
  }
  return (
    <div className="mb-3">
      <Form key={count} errors={errors} onSubmit={submit}>
        <FieldWithButton
          field={
            <TextField
              label="Link or code"
              name="link"
              hint="For a file that nobody has reported."
              autoComplete="off"
              maxLength={longestLink}
            />
          }
          button={<SubmitButton label="Take down this file">Take down</SubmitButton>}
        />
      </Form>
    </div>
  )
}
