import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Report } from '../../shared/contract/abuse.ts'
import { maxReasonLength } from '../../shared/rules/links/report.ts'
import { extractShortCode } from '../../shared/rules/links/short-code.ts'
import { call } from '../api/call.ts'
import { useSendsMail } from '../api/public-values.ts'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { shortName } from '../ui/file-name.tsx'
import { type FieldErrors, Form, SubmitButton } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, showAdminFailure } from './admin-queries.ts'
import { linkTakedownWarning, takedownWarning } from './report-text.ts'
import { FieldWithButton } from './setting-form.tsx'

/** The maximum length of a file name in the dialog's title, in characters. */
const maxNameLength = 60

/** A file to take down, as presented in the dialog. */
export interface TakedownTarget {
  /** The file's name or link, shown in the dialog's title. */
  name: string
  /** Describes the consequences of the takedown. */
  warning: string
  shortCode: string
  onDone?: () => void
}

/** Returns the takedown target for a reported file. */
export function toReportTarget({ shortCode, file }: Report): TakedownTarget {
  return {
    name: shortName(file.originalName, maxNameLength),
    warning: takedownWarning(file),
    shortCode: file.openCode ?? shortCode,
  }
}

/** Returns the takedown target for a link whose file is unknown. */
export function toLinkTarget(shortCode: string): TakedownTarget {
  return { name: `/s/${shortCode}`, warning: linkTakedownWarning, shortCode }
}

export interface TakedownDialogProps {
  target: TakedownTarget
  /** Called after the closing animation. */
  onClosed: () => void
}

/** The dialog that asks for the takedown reason. */
export function TakedownDialog({ target, onClosed }: TakedownDialogProps) {
  const { name, warning, shortCode, onDone } = target
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(true)
  const [errors, setErrors] = useState<FieldErrors>({})
  const { mutateAsync: takeDown, isSuccess } = useMutation({
    mutationFn: (reason: string) =>
      call('POST /api/admin/takedown', { body: { shortCode, reason } }),
    onSuccess: ({ message }) => {
      void refreshAdminData(client)
      toast({ title: 'Taken down', description: message })
      onDone?.()
      setOpen(false)
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to take the file down'),
  })
  const sendsMail = useSendsMail()
  const submit = async ({ reason }: { reason: string }) => {
    const hasReason = reason.trim() !== ''
    setErrors(hasReason ? {} : { reason: 'Please give a reason.' })
    // If the request fails, the dialog stays open for a retry.
    if (hasReason) await takeDown(reason).catch(() => undefined)
  }
  return (
    <FormDialog
      open={isOpen}
      onOpenChange={setOpen}
      onClosed={onClosed}
      // The pressed button may be gone with its row.
      finalFocus={() => (isSuccess ? document.getElementById('reports') : true)}
      title={`Take down ${name}`}
      description={warning}
    >
      <Form errors={errors} onSubmit={submit}>
        <TextField
          label="Reason"
          name="reason"
          rows={4}
          maxLength={maxReasonLength}
          hint={reasonHint(sendsMail)}
          required
        />
        <DialogButtons label="Take down" variant="danger" pendingLabel="Taking down…" />
      </Form>
    </FormDialog>
  )
}

/** Says where the owner will see the takedown reason. */
function reasonHint(sendsMail: boolean | undefined): string {
  if (sendsMail) return 'The owner sees it in an email and in My Files.'
  const myFilesHint = 'The owner sees it in My Files.'
  return sendsMail === false ? `${myFilesHint} This server sends no email.` : myFilesHint
}

/** The maximum input length in characters, well above the length of any link. */
const maxLinkLength = 500

export interface TakeDownByLinkFormProps {
  onTakeDown: (target: TakedownTarget) => void
}

/** A form that takes down an unreported file by link or short code. */
export function TakeDownByLinkForm({ onTakeDown }: TakeDownByLinkFormProps) {
  /** Incremented after each takedown to reset the form. */
  const [takedownCount, setTakedownCount] = useState(0)
  const [errors, setErrors] = useState<FieldErrors>({})
  const submit = async ({ link }: { link: string }) => {
    const shortCode = extractShortCode(link)
    setErrors(
      shortCode === null ? { link: 'This is not a link to a file, nor the code of one.' } : {},
    )
    if (shortCode !== null)
      onTakeDown({ ...toLinkTarget(shortCode), onDone: () => setTakedownCount(takedownCount + 1) })
  }
  return (
    <div className="mb-3">
      <Form key={takedownCount} errors={errors} onSubmit={submit}>
        <FieldWithButton
          field={
            <TextField
              label="Link or code"
              name="link"
              hint="For a file that nobody has reported."
              autoComplete="off"
              maxLength={maxLinkLength}
            />
          }
          button={<SubmitButton label="Take down this file">Take down</SubmitButton>}
        />
      </Form>
    </div>
  )
}
