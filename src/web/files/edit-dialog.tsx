import { useState } from 'react'
import { links } from '../../shared/contract/links.ts'
import {
  maxLinkMessageLength,
  maxLinkPasswordLength,
  maxLinkTitleLength,
} from '../../shared/rules/links/link-limits.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { type FieldErrors, Form, messagesByField } from '../ui/form.tsx'
import { Switch } from '../ui/switch.tsx'
import { toast } from '../ui/toast.tsx'
import { type LinkChanges, useChangeLink } from './change-links.ts'
import type { ListedLink } from './listed-link.ts'

/** The dialog's fields. `password` is missing while its switch is off. */
interface EditValues {
  title: string
  message: string
  password?: string
  maxDownloads: string
}

/** Returns the changes to send. An empty field removes a value, except that of a set password. */
export function toChanges(
  { title, message, password, maxDownloads }: EditValues,
  { hasPassword }: Pick<ListedLink, 'hasPassword'>,
): LinkChanges {
  return {
    title: title.trim() || null,
    message: message.trim() || null,
    maxDownloads: maxDownloads === '' ? null : Number(maxDownloads),
    password: password === '' && hasPassword ? undefined : (password ?? null),
  }
}

export interface EditDialogProps {
  /** The link to change. Keep it set until the dialog has closed. */
  link: ListedLink
  /** Called after the closing animation. */
  onClosed: () => void
}

/** The dialog that changes a link's title, message, password and download limit. */
export function EditDialog({ link, onClosed }: EditDialogProps) {
  const [isOpen, setOpen] = useState(true)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [usesPassword, setUsesPassword] = useState(link.hasPassword)
  const change = useChangeLink()
  const close = () => setOpen(false)
  const submit = async (values: EditValues) => {
    const parsed = links.changeLink.body.safeParse(toChanges(values, link))
    setErrors(messagesByField(parsed.error?.issues))
    if (!parsed.success) return
    try {
      await change({ code: link.shortCode, changes: parsed.data })
      toast({ title: 'Link changed', description: values.title.trim() || link.name })
      close()
    } catch (error) {
      showFailure(error, 'Link not changed', failureText(error, 'Please try again.'))
    }
  }
  return (
    <FormDialog
      open={isOpen}
      onOpenChange={close}
      onClosed={onClosed}
      wide
      title={`Edit ${link.name}`}
      description="Everyone who has the link sees its title and message."
    >
      <Form errors={errors} onSubmit={submit}>
        <TextField
          label="Title"
          name="title"
          defaultValue={link.title ?? ''}
          maxLength={maxLinkTitleLength}
        />
        <TextField
          label="Message"
          name="message"
          defaultValue={link.message ?? ''}
          maxLength={maxLinkMessageLength}
          rows={3}
        />
        <Switch label="Password" checked={usesPassword} onCheckedChange={setUsesPassword} />
        {usesPassword ? (
          <PasswordField
            label={link.hasPassword ? 'New password' : 'Password for downloads'}
            name="password"
            autoComplete="new-password"
            maxLength={maxLinkPasswordLength}
            hint={link.hasPassword ? 'Leave it empty to keep the current one.' : undefined}
          />
        ) : null}
        <TextField
          label="Download limit"
          name="maxDownloads"
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          defaultValue={link.maxDownloads?.toString() ?? ''}
          hint={`The link ends after this many downloads. It has had ${link.downloadCount.toLocaleString('en')}. Leave it empty for no limit.`}
        />
        <div className="mt-1">
          <DialogButtons label="Save" variant="primary" pendingLabel="Saving…" />
        </div>
      </Form>
    </FormDialog>
  )
}
