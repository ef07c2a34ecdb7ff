import { useState } from 'react'
import { maxSentMessageLength } from '../../shared/contract/link-emails.ts'
import { maxRecipients } from '../../shared/rules/links/link-emails.ts'
import { call } from '../api/call.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { type FieldErrors, Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import type { ListedLink } from './listed-link.ts'
import { checkRecipients, parseRecipients } from './recipients.ts'

export interface SendDialogProps {
  /** The link to send. Keep it set until the dialog has closed. */
  link: ListedLink
  /** Called after the closing animation. */
  onClosed: () => void
}

/** The dialog that sends a link by email. */
export function SendDialog({ link, onClosed }: SendDialogProps) {
  const [isOpen, setOpen] = useState(true)
  const [errors, setErrors] = useState<FieldErrors>({})
  const close = () => setOpen(false)
  const submit = async (values: { to: string; message: string }) => {
    const to = parseRecipients(values.to)
    const error = checkRecipients(to)
    setErrors(error === undefined ? {} : { to: error })
    if (error !== undefined) return
    try {
      const { message } = await call('POST /api/links/{code}/send', {
        params: { code: link.shortCode },
        body: { to, message: values.message.trim() || null },
      })
      toast({ title: message, description: link.name })
      close()
    } catch (error) {
      showFailure(error, 'Link not sent', failureText(error, 'Please try again.'))
    }
  }
  return (
    <FormDialog
      open={isOpen}
      onOpenChange={close}
      onClosed={onClosed}
      wide
      title={`Send ${link.name}`}
      description="Everyone gets an email of their own. They see your name and email address, and reply to you."
    >
      <Form errors={errors} onSubmit={submit}>
        <TextField
          label="To"
          name="to"
          inputMode="email"
          verbatim
          rows={2}
          required
          hint={`Up to ${maxRecipients} email addresses, with commas or line breaks between them.`}
        />
        <TextField
          label="Message"
          name="message"
          maxLength={maxSentMessageLength}
          rows={4}
          hint={
            link.hasPassword
              ? 'The email says that the link needs a password. Tell them the password in another way.'
              : undefined
          }
        />
        <div className="mt-1">
          <DialogButtons label="Send" variant="primary" pendingLabel="Sending…" />
        </div>
      </Form>
    </FormDialog>
  )
}
