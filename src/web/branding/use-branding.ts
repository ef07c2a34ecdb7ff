import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Brand } from '../../shared/contract/branding.ts'
import { type CallInput, call } from '../api/call.ts'

/** The query for the user's brand. The result is null if the user has none. */
const brandingQuery = queryOptions({
  queryKey: ['/api/branding'],
  queryFn: ({ signal }) => call('getBranding', { signal }),
})

/** Uses `brandingQuery`: `data` is null if there is no brand, undefined while loading. */
export function useBranding() {
  return useQuery(brandingQuery)
}

type BrandTexts = CallInput<'saveBranding'>['body']

/** What a save does with the logo: replace it by a picture, remove it, or leave it as it is. */
export type LogoChange = { picture: File } | 'remove' | 'keep'

/**
 * Returns functions that save and remove the brand. Saving may take two calls, one for the texts
 * and one for the logo. After each call the page shows what the server has stored.
 */
export function useBrandingChanges() {
  const client = useQueryClient()
  const keep = (brand: Brand | null) => client.setQueryData(brandingQuery.queryKey, brand)
  const save = useMutation({
    async mutationFn({ body, logo }: { body: BrandTexts; logo: LogoChange }) {
      keep(await call('saveBranding', { body }))
      if (logo === 'remove') keep(await call('removeLogo'))
      else if (logo !== 'keep') keep(await call('saveLogo', { bytes: logo.picture }))
    },
  })
  const remove = useMutation({
    async mutationFn() {
      await call('removeBranding')
      keep(null)
    },
  })
  return { save: save.mutateAsync, remove: remove.mutateAsync }
}
