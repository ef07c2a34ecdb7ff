import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ChoiceSettingKey, choiceSettings } from '../../shared/rules/tiers/admin-settings.ts'
import { call } from '../api/call.ts'
import { refreshPublicValues } from '../api/public-values.ts'
import { SegmentedControl } from '../ui/segmented-control.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, showAdminFailure } from './admin-queries.ts'
import { choiceStrings } from './setting-texts.ts'

/** A setting with fixed choices, which is saved when one is chosen. */
export function ChoiceSetting({ setting, stored }: { setting: ChoiceSettingKey; stored: string }) {
  const client = useQueryClient()
  const { label, hint, choices, failure } = choiceStrings[setting]
  const { mutate: save } = useMutation({
    mutationFn: (value: string) =>
      call('POST /api/admin/settings', { body: { key: setting, value } }),
    onSuccess: ({ value }) => {
      toast({ title: `${label}: ${choices[value]}` })
      void refreshAdminData(client)
      // If this request fails, pages show the old value for up to 5 minutes.
      refreshPublicValues(client).catch(() => undefined)
    },
    onError: (error) => showAdminFailure(client, error, failure),
  })
  return (
    <div className="grid content-start justify-items-start gap-1.5">
      <span className="font-[560] text-sm">{label}</span>
      <SegmentedControl
        label={label}
        options={choiceSettings[setting].map((value) => ({
          value,
          label: choices[value] ?? value,
        }))}
        value={stored}
        onValueChange={save}
      />
      <p className="text-muted text-sm">{hint}</p>
    </div>
  )
}
