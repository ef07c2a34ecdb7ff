import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { TextSettingKey } from '../../shared/rules/tiers/admin-settings.ts'
import { call } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { emailSignatureQuery } from '../api/use-email-signature.ts'
import { premiumPriceQuery } from '../api/use-premium-price.ts'
import { versionQuery } from '../api/use-version.ts'
import { refreshAfterAct } from './refresh.ts'
import { settingTexts } from './setting-texts.ts'
import { tellUnsaved } from './tell-unsaved.ts'

type Settings = Record<TextSettingKey, string>

/** The query for the present settings in the database. Each visit reads them again. */
const settingsQuery = queryOptions({
  queryKey: ['/api/admin/settings'],
  queryFn: async ({ client, signal }): Promise<Settings> => {
    const { values } = await call('adminSettings', { signal })
    showEverywhere(client, values)
    return values
  },
  refetchOnMount: 'always',
})

/** Returns the texts of the settings. Each visit asks for them anew. */
export function useSettings() {
  return useQuery(settingsQuery)
}

/** Puts the settings into the query data that the other screens use. */
function showEverywhere(client: QueryClient, settings: Settings): void {
  client.setQueryData(premiumPriceQuery.queryKey, { price: Number(settings.premium_price) })
  client.setQueryData(versionQuery.queryKey, { version: settings.app_version })
  client.setQueryData(emailSignatureQuery.queryKey, { signature: settings.email_signature })
}

const publicCalls = {
  premium_price: 'premiumPrice',
  app_version: 'version',
  email_signature: 'emailSignature',
} as const satisfies Record<TextSettingKey, string>

interface Change {
  value: string
  /** Is called with the server's message if the server refuses the value. */
  onRefused: (fault: string) => void
}

/**
 * Returns a mutation that saves a setting. Other open parts of the page show the new value at once.
 */
export function useSaveSetting(key: TextSettingKey) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ value }: Change) => call('changeSetting', { body: { key, value } }),
    onSuccess: ({ value }) => {
      const known = client.getQueryData(settingsQuery.queryKey)
      if (known) {
        const settings = { ...known, [key]: value }
        client.setQueryData(settingsQuery.queryKey, settings)
        showEverywhere(client, settings)
      }
      refreshAfterAct(client)
      // The page already has the new value. This call only replaces the answer that the browser's
      // cache keeps for 5 minutes.
      call(publicCalls[key], { fresh: true }).catch(() => undefined)
    },
    onError: (error, { onRefused }) => {
      if (saysSignedOut(error)) return
      tellUnsaved(settingTexts[key].failure, error, onRefused)
    },
  })
}
