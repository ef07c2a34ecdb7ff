import { useState } from 'react'
import {
  type FileRequest,
  maxDeliveriesPerRequest,
  requests,
} from '../../shared/contract/requests.ts'
import { formatSizeLimit, parseSize } from '../../shared/rules/format/file-size.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import {
  maxLinkMessageLength,
  maxLinkPasswordLength,
  maxLinkTitleLength,
} from '../../shared/rules/links/link-limits.ts'
import { maxOpenDays } from '../../shared/rules/links/request-state.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { type FieldErrors, Form, messagesByField } from '../ui/form.tsx'
import { Switch } from '../ui/switch.tsx'
import { toast } from '../ui/toast.tsx'
import { type NewRequest, type RequestChanges, useSaveRequest } from './use-requests.ts'

const defaultOpenDays = 7

/** The dialog's fields. `password` is missing while its switch is off. */
interface RequestValues {
  title: string
  message: string
  openDays: string
  maxLinks: string
  maxFileSize: string
  password?: string
}

/**
 * Returns the values to send. An empty field removes a value, except the days of an existing
 * request and a set password, which stay.
 */
export function toRequest(
  { title, message, openDays, maxLinks, maxFileSize, password }: RequestValues,
  request: Pick<FileRequest, 'hasPassword'> | null,
) {
  return {
    title,
    message: message.trim() || null,
    openDays: openDays === '' && request ? undefined : Number(openDays),
    maxLinks: maxLinks === '' ? null : Number(maxLinks),
    maxFileSize: maxFileSize.trim() === '' ? null : (parseSize(maxFileSize.trim()) ?? Number.NaN),
    password: password === '' && request?.hasPassword ? undefined : (password ?? null),
  }
}

const fieldErrors: FieldErrors = {
  title: 'Please enter a title in one line.',
  openDays: `Enter a whole number from 1 to ${maxOpenDays}.`,
  maxLinks: `Enter a whole number from 1 to ${groupDigits(maxDeliveriesPerRequest)}.`,
  maxFileSize: 'Enter a size, such as 100MB.',
  password: 'Please enter a password.',
}

export interface RequestDialogProps {
  /** The request to change, or null for a new one. Keep it set until the dialog has closed. */
  request: FileRequest | null
  /** Called after the closing animation. */
  onClosed: () => void
}

/** The dialog that creates or changes a request. */
export function RequestDialog({ request, onClosed }: RequestDialogProps) {
  const [isOpen, setOpen] = useState(true)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [usesPassword, setUsesPassword] = useState(request?.hasPassword ?? false)
  const save = useSaveRequest()
  const close = () => setOpen(false)
  const submit = async (values: RequestValues) => {
    const { body } = requests[request ? 'changeRequest' : 'createRequest']
    const parsed = body.safeParse(toRequest(values, request))
    const issues = parsed.error?.issues.map(({ path, message }) => {
      return { path, message: fieldErrors[String(path[0])] ?? message }
    })
    setErrors(messagesByField(issues))
    if (!parsed.success) return
    try {
      const values: NewRequest | RequestChanges = parsed.data
      const { title } = await save({ id: request?.id ?? null, values })
      toast({ title: request ? 'Request changed' : 'Request created', description: title })
      close()
    } catch (error) {
      const title = request ? 'Request not changed' : 'Request not created'
      showFailure(error, title, failureText(error, 'Please try again.'))
    }
  }
  return (
    <FormDialog
      open={isOpen}
      onOpenChange={close}
      onClosed={onClosed}
      wide
      title={request ? `Edit ${request.title}` : 'New request'}
      description="Everyone who has the link sees your name, the title and the message, and can send you files."
    >
      <Form errors={errors} onSubmit={submit}>
        <TextField
          label="Title"
          name="title"
          defaultValue={request?.title ?? ''}
          maxLength={maxLinkTitleLength}
          required
        />
        <TextField
          label="Message"
          name="message"
          defaultValue={request?.message ?? ''}
          maxLength={maxLinkMessageLength}
          rows={3}
        />
        <TextField
          label={request ? 'Days open from now' : 'Days open'}
          name="openDays"
          type="number"
          inputMode="numeric"
          min={1}
          max={maxOpenDays}
          defaultValue={request ? '' : String(defaultOpenDays)}
          hint={
            request
              ? `At most ${maxOpenDays}. Leave it empty to keep the current end.`
              : `At most ${maxOpenDays}.`
          }
        />
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <TextField
            label="Deliveries"
            name="maxLinks"
            type="number"
            inputMode="numeric"
            min={1}
            max={maxDeliveriesPerRequest}
            defaultValue={request?.maxLinks?.toString() ?? ''}
            hint="How often people can send files. Leave it empty for any number."
          />
          <TextField
            label="Largest file"
            name="maxFileSize"
            defaultValue={request?.maxFileSize ? formatSizeLimit(request.maxFileSize) : ''}
            hint="Such as 100MB. Leave it empty for your own limit."
          />
        </div>
        <Switch label="Password" checked={usesPassword} onCheckedChange={setUsesPassword} />
        {usesPassword ? (
          <PasswordField
            label={request?.hasPassword ? 'New password' : 'Password for senders'}
            name="password"
            autoComplete="new-password"
            maxLength={maxLinkPasswordLength}
            hint={request?.hasPassword ? 'Leave it empty to keep the current one.' : undefined}
          />
        ) : null}
        <div className="mt-1">
          <DialogButtons
            label={request ? 'Save' : 'Create request'}
            variant="primary"
            pendingLabel="Saving…"
          />
        </div>
      </Form>
    </FormDialog>
  )
}
