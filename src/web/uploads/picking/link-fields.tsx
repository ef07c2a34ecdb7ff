import {
  maxDownloadLimit,
  maxLinkMessageLength,
  maxLinkPasswordLength,
  maxLinkTitleLength,
} from '../../../shared/rules/links/link-limits.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { type FieldErrors, Form } from '../../ui/form.tsx'

type FieldName = 'title' | 'message' | 'password' | 'maxDownloads'

export interface LinkFieldsProps {
  fields: Readonly<Record<FieldName, string>>
  errors: FieldErrors
  setField: (name: FieldName, value: string) => void
}

/** The fields for the next link's title, message, password and download limit. */
export function LinkFields({ fields, errors, setField }: LinkFieldsProps) {
  return (
    <Form onSubmit={async () => undefined} errors={errors}>
      <TextField
        label="Title"
        name="title"
        maxLength={maxLinkTitleLength}
        value={fields.title}
        onValueChange={(value) => setField('title', value)}
      />
      <TextField
        label="Message"
        name="message"
        rows={2}
        maxLength={maxLinkMessageLength}
        value={fields.message}
        onValueChange={(value) => setField('message', value)}
      />
      <PasswordField
        label="Password for the link"
        name="password"
        autoComplete="new-password"
        maxLength={maxLinkPasswordLength}
        value={fields.password}
        onValueChange={(value) => setField('password', value)}
      />
      <TextField
        label="Download limit"
        name="maxDownloads"
        type="number"
        inputMode="numeric"
        min={1}
        max={maxDownloadLimit}
        hint="The link ends after this many downloads."
        value={fields.maxDownloads}
        onValueChange={(value) => setField('maxDownloads', value)}
      />
    </Form>
  )
}
