import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'
import { type LinkOptions, linkOptionsSchema } from '../../../shared/contract/links.ts'
import { groupDigits } from '../../../shared/rules/format/numbers.ts'
import {
  maxDownloadLimit,
  maxLinkMessageLength,
  maxLinkPasswordLength,
  maxLinkTitleLength,
} from '../../../shared/rules/links/link-limits.ts'
import { readSetting, saveSetting } from '../../ui/browser-setting.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { type FieldErrors, Form, messagesByField } from '../../ui/form.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'

/** The localStorage key of the choice between one link for several files and a link each. */
const choiceKey = 'mayfly-links'

type Choice = 'one' | 'each'

function readChoice(): Choice {
  return readSetting(choiceKey) === 'each' ? 'each' : 'one'
}

const noFields = { title: '', message: '', password: '', maxDownloads: '' }

/** How the next files become links. */
export interface NewLinks {
  /** True if several files share a link. */
  isOneLink: boolean
  /** Undefined if the user has entered none. */
  options?: LinkOptions
}

/** The state of the choices for the next upload's links. The choice of one link is remembered. */
export function useLinkForm() {
  const [choice, setChoice] = useState(readChoice)
  const [fields, setFields] = useState(noFields)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [isOpen, setOpen] = useState(false)
  const entered = Object.entries(fields).filter(([, value]) => value !== '')
  const hasOptions = entered.length > 0
  return {
    // Options belong to a link, so files with options share one.
    choice: hasOptions ? 'one' : choice,
    hasOptions,
    optionCount: entered.length,
    fields,
    errors,
    isOpen,
    setOpen,
    choose: (newChoice: Choice) => {
      setChoice(newChoice)
      saveSetting(choiceKey, newChoice)
    },
    setField: (name: keyof typeof noFields, value: string) => {
      setFields({ ...fields, [name]: value })
      setErrors({})
    },
    /** Returns the choices, or null if a field is invalid. The form then shows why. */
    read: (): NewLinks | null => {
      if (!hasOptions) return { isOneLink: choice === 'one' }
      const { maxDownloads, ...texts } = Object.fromEntries(entered)
      const values = { ...texts, ...(maxDownloads && { maxDownloads: Number(maxDownloads) }) }
      const { success, data, error } = linkOptionsSchema.safeParse(values)
      if (success) return { isOneLink: true, options: data }
      const messages = messagesByField(error.issues)
      const limitText = `Enter a whole number from 1 to ${groupDigits(maxDownloadLimit)}.`
      setErrors({ ...messages, ...(messages.maxDownloads && { maxDownloads: limitText }) })
      setOpen(true)
      return null
    },
    /** Clears the options after an upload has started. */
    reset: () => {
      setFields(noFields)
      setOpen(false)
    },
  } as const
}

export type LinkForm = ReturnType<typeof useLinkForm>

/** Lets the user choose whether several files share a link. */
export function LinkChoice({ form }: { form: LinkForm }) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2">
      <span className="text-muted text-sm" aria-hidden="true">
        Several files get
      </span>
      <SegmentedControl
        label="Several files get"
        options={[
          { value: 'one', label: 'One link' },
          { value: 'each', label: 'A link each', disabled: form.hasOptions },
        ]}
        value={form.choice}
        onValueChange={form.choose}
      />
    </div>
  )
}

/** Unfolds the fields for the next link's title, message, password and download limit. */
export function LinkOptionFields({ form }: { form: LinkForm }) {
  const id = useId()
  const { fields, setField, isOpen, optionCount } = form
  return (
    <div className="mt-3 w-full max-w-md">
      <Button
        variant="quiet"
        size="small"
        icon={<ChevronDown className={isOpen ? 'rotate-180' : ''} />}
        expands={{ id, isOpen }}
        onClick={() => form.setOpen(!isOpen)}
      >
        Title, message, password{optionCount > 0 && !isOpen ? ` · ${optionCount} set` : ''}
      </Button>
      {isOpen ? (
        <div id={id} className="mt-3 text-left">
          <Form onSubmit={async () => undefined} errors={form.errors}>
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
          <p className="mt-4 text-muted text-sm">For the next upload, which gets one link.</p>
        </div>
      ) : null}
    </div>
  )
}
