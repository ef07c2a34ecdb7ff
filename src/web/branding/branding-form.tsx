import { useRef, useState } from 'react'
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
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { AccentField } from './accent-field.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { LogoField, useChosenLogo } from './logo-field.tsx'
import { useBrandingChanges } from './use-branding.ts'

const names = ['name', 'message', 'accent'] as const
type BrandingValues = Record<(typeof names)[number], string>

function valuesOf(brand: Brand | null): BrandingValues {
  return {
    name: brand?.name ?? '',
    message: brand?.message ?? '',
    accent: brand?.accent ?? '',
  }
}

/**
 * The form that changes and removes the user's brand. It has a preview, so the user sees the brand
 * before saving it.
 */
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
      const faults: Partial<BrandingValues> = {}
      for (const { path, message } of checked.error.issues) {
        faults[path[0] as keyof BrandingValues] ??= message
      }
      setErrors(faults)
      return 'stay'
    }
    setErrors({})
    try {
      await changes.save({ body: checked.data, logo: logo.change })
      // The server stores the checked texts, for instance without spaces at their ends. So the
      // fields show these texts.
      setValues(valuesOf({ ...checked.data, logoUrl: null }))
      logo.reset()
      toast({ title: 'Branding saved', description: 'Your download pages show it now.' })
    } catch (error) {
      tellFailure('Branding not saved', error)
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
      tellFailure('Branding not removed', error)
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
            error={logo.fault}
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
        // The pressed button disappears when the brand is removed, so the first field gets the
        // focus.
        finalFocus={() => (isRemoved.current ? nameField() : true)}
      />
    </>
  )
}

function nameField(): HTMLElement | null {
  return document.querySelector<HTMLElement>('input[name="name"]')
}

/**
 * Shows why a call failed. It shows nothing if the session has ended, because the page has another
 * toast for that.
 */
function tellFailure(title: string, error: unknown): void {
  if (saysSignedOut(error)) return
  const description =
    error instanceof NetworkError
      ? 'Please check your connection and try again.'
      : (publicMessage(error) ?? 'Please try again.')
  toast({ title, description, tone: 'destructive' })
}
