import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Brand } from '../../shared/contract/branding.ts'
import { type CallInput, call } from '../api/call.ts'

/** The user's brand; null where there is none. */
const brandingQuery = queryOptions({
  queryKey: ['/api/branding'],
  queryFn: ({ signal }) => call('getBranding', { signal }),
})

export function useBranding() {
  return useQuery(brandingQuery)
}

type BrandTexts = CallInput<'saveBranding'>['body']

/** What becomes of the logo: a picture in its place, none, or the same as before. */
export type LogoChange = { picture: File } | 'remove' | 'keep'

/** Saves and removes the brand. Each step that the server has taken shows at once. */
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
