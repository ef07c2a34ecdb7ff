import { type ReactNode, useRef, useState } from 'react'
import {
  type Brand,
  branding,
  maxBrandMessageLength,
  maxBrandNameLength,
} from '../../shared/contract/branding.ts'
import { isColour } from '../../shared/rules/accounts/accent.ts'
import { NetworkError, publicMessage } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { LoadFailedLine } from '../ui/load-failed.tsx'
import { toast } from '../ui/toast.tsx'
import { AccentField } from './accent-field.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { LogoField, useChosenLogo } from './logo-field.tsx'
import { useBranding, useBrandingChanges } from './use-branding.ts'

const names = ['name', 'message', 'accent'] as const
type BrandingValues = Record<(typeof names)[number], string>

function valuesOf(brand: Brand | null): BrandingValues {
  return {
    name: brand?.name ?? '',
    message: brand?.message ?? '',
    accent: brand?.accent ?? '',
  }
}

/** Loads the user's brand, and then shows the form. */
export function BrandingSettings({ loading }: { loading: ReactNode }) {
  const { data, isError, isFetching, refetch } = useBranding()
  if (data !== undefined) return <BrandingForm saved={data} />
  if (!isError) return loading
  return (
    <LoadFailedLine
      text="Your branding could not be loaded."
      pending={isFetching}
      onRetry={() => void refetch()}
    />
  )
}

/** The form that changes and removes the user's brand, with a preview. */
export function BrandingForm({ saved }: { saved: Brand | null }) {
  const changes = useBrandingChanges()
  const [values, setValues] = useState(() => valuesOf(saved))
  const [errors, setErrors] = useState<Partial<BrandingValues>>({})
  const logo = useChosenLogo(saved?.logoUrl ?? null)
  const typed = values.accent.trim().toLowerCase()

  const save = async (): Promise<'stay'> => {
    const accent = values.accent.trim() === '' ? null : values.accent.trim()
    const checked = branding.saveBranding.body.safeParse({ ...values, accent })
    if (!checked.success) {
      const found: Partial<BrandingValues> = {}
      for (const { path, message } of checked.error.issues) {
        found[path[0] as keyof BrandingValues] ??= message
      }
      setErrors(found)
      return 'stay'
    }
    setErrors({})
    try {
      await changes.save({ body: checked.data, logo: logo.change })
      // The server stores the checked texts, for instance trimmed.
      setValues(valuesOf({ ...checked.data, logoUrl: null }))
      logo.reset()
      toast({ title: 'Branding saved', description: 'Your download pages show it now.' })
    } catch (error) {
      showError('Branding not saved', error)
    }
    return 'stay'
  }

  /** Returns whether the brand was removed. */
  const remove = async () => {
    try {
      await changes.remove()
      setValues(valuesOf(null))
      setErrors({})
      logo.reset()
      toast({ title: 'Branding removed' })
      return true
    } catch (error) {
      showError('Branding not removed', error)
      return false
    }
  }

  const field = (name: keyof BrandingValues) => ({
    name,
    value: values[name],
    onValueChange: (value: string) => setValues({ ...values, [name]: value }),
    ...(errors[name] === undefined ? {} : { error: errors[name] }),
  })
  return (
    <Form names={names} errors={errors} onSubmit={save}>
      {(busy) => (
        <>
          <TextField
            label="Name"
            hint="Shown as the sender."
            required
            autoComplete="organization"
            maxLength={maxBrandNameLength}
            {...field('name')}
          />
          <TextField
            label="Message"
            hint={`Shown to recipients, up to ${maxBrandMessageLength} characters.`}
            rows={3}
            maxLength={maxBrandMessageLength}
            {...field('message')}
          />
          <AccentField {...field('accent')} error={errors.accent} />
          <LogoField
            logo={logo.shown}
            error={logo.error}
            disabled={busy}
            onChosen={logo.choose}
            onRemove={logo.remove}
          />
          <BrandPreview
            name={values.name.trim() || 'Your name'}
            accent={isColour(typed) ? typed : null}
            message={values.message.trim()}
            logo={logo.shown}
          />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" pending={busy} pendingLabel="Saving...">
              Save branding
            </Button>
            {saved === null ? null : <RemoveButton disabled={busy} onConfirm={remove} />}
          </div>
        </>
      )}
    </Form>
  )
}

function RemoveButton(props: { disabled: boolean; onConfirm: () => Promise<boolean> }) {
  const [open, setOpen] = useState(false)
  const [pending, setPending] = useState(false)
  const isRemoved = useRef(false)
  const confirm = async () => {
    setPending(true)
    isRemoved.current = await props.onConfirm()
    setPending(false)
    setOpen(false)
  }
  return (
    <>
      <Button variant="quiet" disabled={props.disabled} onClick={() => setOpen(true)}>
        Remove branding
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Remove your branding?"
        description="Your name, message, colour and logo are deleted. Your download pages show the Mayfly logo again."
        confirmLabel="Remove"
        pending={pending}
        pendingLabel="Removing..."
        onConfirm={() => void confirm()}
        // The pressed button disappears with the brand.
        finalFocus={() => (isRemoved.current ? document.querySelector('input[name="name"]') : true)}
      />
    </>
  )
}

/** Shows an error, except the end of the session, which has a toast of its own. */
function showError(title: string, error: unknown): void {
  if (saysSignedOut(error)) return
  const description =
    error instanceof NetworkError
      ? 'Please check your connection and try again.'
      : (publicMessage(error) ?? 'Please try again.')
  toast({ title, description, tone: 'destructive' })
}
