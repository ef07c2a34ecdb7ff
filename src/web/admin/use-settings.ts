import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { priceText } from '../../shared/rules/format/numbers.ts'
import {
  longestSignature,
  longestVersion,
  priceBounds,
  type TextSettingKey,
} from '../../shared/rules/tiers/admin-settings.ts'
import { limitKeys, readLimits } from '../../shared/rules/tiers/limit-settings.ts'
import { call } from '../api/call.ts'
import {
  emailSignatureQuery,
  limitsQuery,
  premiumPriceQuery,
  versionQuery,
} from '../api/public-values.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { showSaveError } from './error-text.ts'
import type { LimitSetting } from './limit-texts.ts'
import { limitsKey, refreshAfterAct } from './refresh.ts'

type Settings = Record<TextSettingKey, string>

interface SettingTexts {
  label: string
  /** Says where people see the value, and which bounds it has. */
  hint: string
  /** The title of the message when the value could not be saved. */
  failure: string
  /** Returns the value as part of a sentence. Returns null if the value has several lines. */
  inSentence: (value: string) => string | null
}

/** The texts about each setting in the section "Settings" of the Admin Center. */
export const settingTexts: Readonly<Record<TextSettingKey, SettingTexts>> = {
  premium_price: {
    label: 'Premium price',
    hint: `${priceText(priceBounds.least)} to ${priceText(priceBounds.most)} per month.`,
    failure: 'Failed to update premium price',
    inSentence: priceText,
  },
  app_version: {
    label: 'App version',
    hint: `Shown in the footer. At most ${longestVersion} characters.`,
    failure: 'Failed to update app version',
    inSentence: (value) => value,
  },
  email_signature: {
    label: 'Email signature',
    hint: `Ends every email of this server, and those that share a link. At most ${longestSignature} characters.`,
    failure: 'Failed to update email signature',
    inSentence: () => null,
  },
}

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

interface SettingChange {
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
    mutationFn: ({ value }: SettingChange) => call('changeSetting', { body: { key, value } }),
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
      showSaveError(settingTexts[key].failure, error, onRefused)
    },
  })
}

/**
 * The query for the limits, the caps and what is in use. It loads again each time the page is
 * opened.
 */
const limitSettingsQuery = queryOptions({
  queryKey: [limitsKey],
  queryFn: ({ signal }) => call('adminLimits', { signal }),
  refetchOnMount: 'always',
})

/** Returns the limits, the caps and what is in use. Each visit asks for them anew. */
export function useLimitSettings() {
  return useQuery(limitSettingsQuery)
}

interface LimitChange {
  key: LimitSetting
  value: string
  /** Is called with the server's message if the server refuses the value. */
  onRefused: (fault: string) => void
}

/**
 * Returns a mutation that saves a limit or a cap. Other open parts of the page show the new value
 * at once.
 */
export function useSaveLimit() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ key, value }: LimitChange) => call('changeSetting', { body: { key, value } }),
    onSuccess: ({ value }, { key }) => {
      const known = client.getQueryData(limitSettingsQuery.queryKey)
      if (known) {
        const values = { ...known.values, [key]: value }
        client.setQueryData(limitSettingsQuery.queryKey, { ...known, values })
        if (limitKeys.some((one) => one === key)) {
          client.setQueryData(limitsQuery.queryKey, readLimits(values))
        }
      }
      // This also reloads the figures of this section, such as the free space to leave.
      refreshAfterAct(client)
      // The page already has the new limits. This call only replaces the answer that the browser's
      // cache keeps for 5 minutes.
      call('limits', { fresh: true }).catch(() => undefined)
    },
    onError: (error, { onRefused }) => {
      if (saysSignedOut(error)) return
      const isRefused = showSaveError('Failed to update limit', error, onRefused)
      // The server may have refused the value because of another limit that somebody has changed
      // elsewhere. So the page reads all limits again.
      if (isRefused) void client.invalidateQueries({ queryKey: limitSettingsQuery.queryKey })
    },
  })
}
