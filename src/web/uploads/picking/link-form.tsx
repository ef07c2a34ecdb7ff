import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useId, useState } from 'react'
import type { LinkOptions } from '../../../shared/contract/links.ts'
import { readSetting, saveSetting } from '../../ui/browser-setting.ts'
import { Button } from '../../ui/button.tsx'
import type { FieldErrors } from '../../ui/form.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'

const LinkFields = lazy(async () => ({ default: (await import('./link-fields.tsx')).LinkFields }))

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
    /** Resolves to the choices, or null if a field is invalid. The form then shows why. */
    read: async (): Promise<NewLinks | null> => {
      if (!hasOptions) return { isOneLink: choice === 'one' }
      const { readLinkOptions } = await import('./link-options.ts')
      const { options, errors } = readLinkOptions(Object.fromEntries(entered))
      if (options) return { isOneLink: true, options }
      setErrors(errors)
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
  const { isOpen, optionCount } = form
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
          <Suspense fallback={null}>
            <LinkFields fields={form.fields} errors={form.errors} setField={form.setField} />
          </Suspense>
          <p className="mt-4 text-muted text-sm">For the next upload, which gets one link.</p>
        </div>
      ) : null}
    </div>
  )
}
