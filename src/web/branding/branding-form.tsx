import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  type Brand,
  branding,
  maxBrandMessageLength,
  maxBrandNameLength,
} from '../../shared/contract/branding.ts'
import { isColor } from '../../shared/rules/accounts/accent.ts'
import { type CallInput, call } from '../api/call.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import { Button } from '../ui/button.tsx'
import { confirm } from '../ui/confirm.tsx'
import { TextField } from '../ui/field.tsx'
import { type FieldErrors, Form, messagesByField, SubmitButton } from '../ui/form.tsx'
import { InlineLoadError, QueryContent } from '../ui/load-error.tsx'
import { toast } from '../ui/toast.tsx'
import { AccentField } from './accent-field.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { LogoField, useChosenLogo } from './logo-field.tsx'

const brandingQuery = queryOptions({
  queryKey: ['/api/branding'],
  queryFn: ({ signal }) => call('GET /api/branding', { signal }),
})

type BrandingValues = Record<'name' | 'message' | 'accent', string>

function toFormValues(brand: Partial<Brand> | null): BrandingValues {
  const { name = '', message = '', accent } = brand ?? {}
  return { name, message, accent: accent ?? '' }
}

export function BrandingSettings({ loading }: { loading: ReactNode }) {
  const query = useQuery(brandingQuery)
  return (
    <QueryContent
      query={query}
      failed={<InlineLoadError query={query} text="Your branding could not be loaded." />}
      loading={loading}
    >
      {(savedBrand) => <BrandingForm saved={savedBrand} />}
    </QueryContent>
  )
}

/** A form to edit or remove the user's brand, with a preview. */
export function BrandingForm({ saved }: { saved: Brand | null }) {
  const client = useQueryClient()
  const updateCache = (brand: Brand | null) => client.setQueryData(brandingQuery.queryKey, brand)
  const [values, setValues] = useState(() => toFormValues(saved))
  const [errors, setErrors] = useState<FieldErrors>({})
  const logo = useChosenLogo(saved?.logoUrl ?? null)
  const normalizedAccent = values.accent.trim().toLowerCase()

  const save = useMutation({
    // Updates the cache after each call, because a later call may fail.
    mutationFn: async (body: CallInput<'PUT /api/branding'>['body']) => {
      updateCache(await call('PUT /api/branding', { body }))
      if (logo.change === 'remove') updateCache(await call('DELETE /api/branding/logo'))
      else if (logo.change !== 'keep')
        updateCache(await call('PUT /api/branding/logo', { bytes: logo.change.picture }))
    },
    onSuccess: (_, body) => {
      // Show the values as they were saved, for example without surrounding spaces.
      setValues(toFormValues(body))
      logo.reset()
      toast({ title: 'Branding saved', description: 'Your download pages show it now.' })
    },
    onError: (error) =>
      showFailure(error, 'Branding not saved', failureText(error, 'Please try again.')),
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/branding'),
    onSuccess: () => {
      updateCache(null)
      setValues(toFormValues(null))
      setErrors({})
      logo.reset()
      toast({ title: 'Branding removed' })
    },
    onError: (error) =>
      showFailure(error, 'Branding not removed', failureText(error, 'Please try again.')),
  })
  const submit = async () => {
    const accent = values.accent.trim() || null
    const parseResult = branding.saveBranding.body.safeParse({ ...values, accent })
    setErrors(messagesByField(parseResult.error?.issues))
    if (parseResult.success) await save.mutateAsync(parseResult.data).catch(() => undefined)
  }
  const confirmRemoval = async () => {
    const isConfirmed = await confirm({
      title: 'Remove your branding?',
      description:
        'Your name, message, color and logo are deleted. Your download pages show the Mayfly logo again.',
      confirmLabel: 'Remove',
      // Removing the brand also removes the focused button.
      focusAfter: () => document.querySelector('input[name="name"]'),
    })
    if (isConfirmed) remove.mutate()
  }

  const getFieldProps = (name: keyof BrandingValues) => ({
    name,
    value: values[name],
    onValueChange: (value: string) => setValues({ ...values, [name]: value }),
  })
  return (
    <Form errors={errors} onSubmit={submit}>
      <TextField
        label="Name"
        hint="Shown as the sender."
        required
        autoComplete="organization"
        maxLength={maxBrandNameLength}
        {...getFieldProps('name')}
      />
      <TextField
        label="Message"
        hint={`Shown to recipients, up to ${maxBrandMessageLength} characters.`}
        rows={3}
        maxLength={maxBrandMessageLength}
        {...getFieldProps('message')}
      />
      <AccentField {...getFieldProps('accent')} />
      <LogoField
        logo={logo.previewUrl}
        error={logo.error}
        disabled={save.isPending}
        onChosen={logo.choose}
        onRemove={logo.remove}
      />
      <BrandPreview
        name={values.name.trim() || 'Your name'}
        accent={isColor(normalizedAccent) ? normalizedAccent : null}
        message={values.message.trim()}
        logo={logo.previewUrl}
      />
      <div className="flex flex-wrap gap-2">
        <SubmitButton pendingLabel="Saving...">Save branding</SubmitButton>
        {saved === null ? null : (
          <Button
            variant="quiet"
            disabled={save.isPending}
            pending={remove.isPending}
            pendingLabel="Removing..."
            onClick={() => void confirmRemoval()}
          >
            Remove branding
          </Button>
        )}
      </div>
    </Form>
  )
}
