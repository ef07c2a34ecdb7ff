import { useQuery } from '@tanstack/react-query'
import {
  capKeys,
  type Fullness,
  fileSizeWarning,
  fullness,
  parseCapSettings,
} from '../../shared/rules/files/storage-cap.ts'
import { formatSize, formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import {
  limitKey,
  limitNames,
  parseLimitSettings,
} from '../../shared/rules/tiers/limit-settings.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import type { CallResponse } from '../api/call.ts'
import { Card } from '../ui/card.tsx'
import { QueryContent } from '../ui/load-error.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { limitSettingsQuery } from './admin-queries.ts'
import { SectionFrame } from './section.tsx'
import { SettingForm } from './setting-form.tsx'
import {
  breakDownDiskUsage,
  checkInput,
  describeLimit,
  formatInput,
  freeSpaceText,
  type LimitSettingKey,
  storageUseText,
} from './setting-texts.ts'

type AdminLimits = CallResponse<'GET /api/admin/limits'>

/** Shows the limits for both tiers side by side, and the caps. */
export function LimitsSection() {
  return (
    <SectionFrame id="limits" note="Changes apply to new uploads. Nothing is deleted.">
      <QueryContent
        query={useQuery(limitSettingsQuery)}
        failed="The limits could not be loaded"
        loading={<RowsLoading label="Loading the limits" rows={5} />}
      >
        {(limits) => (
          <div className="grid gap-3">
            <TierLimitForms values={limits.values} />
            <StorageCap {...limits} />
          </div>
        )}
      </QueryContent>
    </SectionFrame>
  )
}

function TierLimitForms({ values }: Pick<AdminLimits, 'values'>) {
  return (
    <Card className="grid gap-x-10 gap-y-8 p-4 sm:p-6 md:grid-cols-2">
      {tiers.map((tier) => (
        <fieldset key={tier} className="grid min-w-0 content-start gap-y-3">
          <legend className="mb-4 font-semibold">{tierTraits[tier].name}</legend>
          {limitNames.map((name) => (
            <LimitForm key={name} setting={limitKey(tier, name)} values={values} />
          ))}
        </fieldset>
      ))}
    </Card>
  )
}

function StorageCap({ values, stored, disk }: AdminLimits) {
  const { maxStored, leastFree } = parseCapSettings(values)
  const fileSizeNote = fileSizeWarning(maxStored, parseLimitSettings(values))
  return (
    <Card className="grid gap-x-10 gap-y-6 p-4 sm:p-6 md:grid-cols-2">
      <fieldset className="grid min-w-0 content-start gap-y-3">
        <legend className="mb-4 font-semibold">All accounts together</legend>
        {capKeys.map((key) => (
          <LimitForm key={key} setting={key} values={values} />
        ))}
        {fileSizeNote === null ? null : <p className="text-amber text-sm">{fileSizeNote}</p>}
      </fieldset>
      <dl className="grid min-w-0 content-start gap-y-5">
        <div>
          <dt className="font-[560] text-sm">In use</dt>
          <dd className="mt-1 tabular-nums">{storageUseText(stored)}</dd>
          {maxStored === null ? null : (
            <dd>
              <UsageBar used={stored.files + stored.uploads} maxStored={maxStored} />
            </dd>
          )}
        </div>
        {disk === null ? null : (
          <>
            <div>
              <dt className="font-[560] text-sm">Free on the disk</dt>
              <dd className="mt-1 tabular-nums">
                {formatSize(disk.free)} of {formatSize(disk.size)}
              </dd>
              <dd className={`text-sm ${disk.leastFree < disk.size ? 'text-muted' : 'text-red'}`}>
                {freeSpaceText(leastFree, disk)}
              </dd>
            </div>
            <div>
              <dt className="font-[560] text-sm">Taken on the disk</dt>
              {breakDownDiskUsage(disk).map(({ name, size }) => (
                <dd key={name} className="mt-1 flex justify-between gap-4 tabular-nums">
                  <span>{name}</span>
                  <span className="shrink-0">{size}</span>
                </dd>
              ))}
            </div>
          </>
        )}
      </dl>
    </Card>
  )
}

const toneClasses: Record<Fullness, { bar: string; text: string }> = {
  ok: { bar: 'bg-accent', text: 'text-muted' },
  warning: { bar: 'bg-amber', text: 'text-amber' },
  full: { bar: 'bg-red', text: 'text-red' },
}

function UsageBar({ used, maxStored }: { used: number; maxStored: number }) {
  const percent = Math.floor((used / maxStored) * 100)
  const tone = toneClasses[fullness(used, { maxStored })]
  return (
    <>
      <div aria-hidden="true" className="mt-2 h-1.5 overflow-clip rounded-full bg-line">
        <div className={`h-full ${tone.bar}`} style={{ width: `${Math.min(100, percent)}%` }} />
      </div>
      <p className={`mt-1.5 text-sm tabular-nums ${tone.text}`}>
        {used >= maxStored
          ? `The cap of ${formatSizeLimit(maxStored)} is reached. New uploads are refused.`
          : `${percent} % of ${formatSizeLimit(maxStored)}.`}
      </p>
    </>
  )
}

function LimitForm({
  setting,
  values,
}: { setting: LimitSettingKey } & Pick<AdminLimits, 'values'>) {
  const { label, hint, name } = describeLimit(setting)
  const storedValue = values[setting]
  return (
    <SettingForm
      setting={setting}
      label={label}
      hint={hint}
      failure="Failed to update limit"
      stored={storedValue}
      previousValue={formatInput(setting, storedValue)}
      input={{ verbatim: true, maxLength: 40 }}
      buttonLabel={name}
      check={(input) => checkInput(setting, input)}
      format={(stored) => formatInput(setting, stored)}
    />
  )
}
