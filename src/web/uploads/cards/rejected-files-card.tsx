import { X } from 'lucide-react'
import { useStore } from 'zustand'
import type { User } from '../../../shared/contract/account.ts'
import { limitErrorText, type TierLimitCode } from '../../../shared/contract/tier-errors.ts'
import { formatSize, formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { type Tier, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import {
  daysText,
  filesText,
  type Limits,
  type TierLimits,
  tierForLargerFiles,
} from '../../../shared/rules/tiers/tier-limits.ts'
import { useLimits } from '../../api/public-values.ts'
import { UpgradeCard } from '../../tiers/upgrade-card.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FileName } from '../../ui/file-name.tsx'
import type { UploadsStore } from '../uploads-state.ts'

/** The upgrade card's badge text for each limit. The tier's name is prepended. */
const badgeFormatters: Record<TierLimitCode, (limits: TierLimits) => string> = {
  TIER_FILE_COUNT: ({ maxFiles }) => `holds ${filesText(maxFiles)}`,
  TIER_FILE_SIZE: ({ maxFileSize }) => `takes files up to ${formatSizeLimit(maxFileSize)}`,
  TIER_EXPIRATION: ({ expirationDays }) => `keeps files for ${daysText(...expirationDays)}`,
}
const limitCodes = Object.keys(badgeFormatters) as TierLimitCode[]

/**
 * Returns the upgrade card's badge text (spec §2), or null if the card is hidden. Users who can
 * upgrade see the card if a file was too large and the next tier allows larger ones (spec §5), or
 * if a tier limit blocked an upload.
 */
export function upgradeReason(
  tier: Tier,
  limits: Limits,
  hasSkippedFiles: boolean,
  inlineError: string | null,
): string | null {
  const { name, upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  const formatReason = (code: TierLimitCode) => `${name} ${badgeFormatters[code](limits[tier])}`
  if (inlineError !== null) {
    const code = limitCodes.find((code) => limitErrorText(tier, code, limits) === inlineError)
    return code ? formatReason(code) : `Not in the ${name.toLowerCase()} tier`
  }
  return hasSkippedFiles && tierForLargerFiles(tier, limits) ? formatReason('TIER_FILE_SIZE') : null
}

export interface RejectedFilesCardProps {
  store: UploadsStore
  user: User
  /** Files that exceed the tier's size limit. */
  skippedFiles: readonly File[]
  onDismiss: () => void
  onTryAnother: () => void
  onTierChange: (user: User) => void
}

/**
 * The card for rejected files (spec §2, §5): the upgrade card if an upgrade would help, otherwise
 * the file-too-large card.
 */
export function RejectedFilesCard(props: RejectedFilesCardProps) {
  const { store, user, skippedFiles: skipped, onDismiss, onTryAnother, onTierChange } = props
  const inlineError = useStore(store, (state) => state.inlineError)
  const limits = useLimits()
  const { maxFileSize } = limits[user.tier]
  const { upgradesTo } = tierTraits[user.tier]
  const reason = upgradeReason(user.tier, limits, skipped.length > 0, inlineError)
  const files =
    skipped.length > 0 ? <SkippedFiles files={skipped} maxFileSize={maxFileSize} /> : null
  if (reason !== null && upgradesTo !== null) {
    return (
      <UpgradeCard
        user={user}
        to={upgradesTo}
        reason={reason}
        onContinue={onDismiss}
        onDone={onTierChange}
      >
        {files}
      </UpgradeCard>
    )
  }
  if (skipped.length === 0) return null
  return (
    <Card className="mb-4 p-5 sm:p-6">
      <section aria-labelledby="too-large-title">
        <div className="flex items-start justify-between gap-3">
          <h2 id="too-large-title" className="text-xl">
            {skipped.length === 1 ? 'File too large' : `${skipped.length} files too large`}
          </h2>
          <div className="-mt-1.5 -mr-2">
            <IconButton label="Dismiss" icon={<X />} onClick={onDismiss} />
          </div>
        </div>
        <div className="mt-3">{files}</div>
        <ul className="mt-4 list-disc pl-5">
          <li>Compress it with zip or 7z.</li>
          <li>Split it into parts, and upload each of them.</li>
          <li>Use cloud storage for files over {formatSizeLimit(maxFileSize)}.</li>
        </ul>
        <div className="mt-5">
          <Button onClick={onTryAnother}>Try Another File</Button>
        </div>
      </section>
    </Card>
  )
}

/**
 * Formats a file size. If rounding would make it equal the limit, returns text such as 'Just over
 * 1GB'.
 */
function sizeText(size: number, limit: number): string {
  const text = formatSize(size)
  return text === formatSize(limit) ? `Just over ${formatSizeLimit(limit)}` : text
}

/** Lists the oversized files, each with its size in MB or GB (spec §5). */
function SkippedFiles(props: { files: readonly File[]; maxFileSize: number }) {
  // Files from different folders may share a name, so the index is the key.
  const rows = props.files.map((file, key) => ({ file, key }))
  return (
    <div role="alert" className="max-h-48 overflow-y-auto">
      <ul aria-label="Not uploaded">
        {rows.map(({ file, key }) => (
          <li key={key} className="flex items-baseline justify-between gap-4 py-1">
            <span className="min-w-0 font-[540]">
              <FileName name={file.name} />
            </span>
            <span className="shrink-0 text-red tabular-nums">
              {sizeText(file.size, props.maxFileSize)}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-muted tabular-nums">
        The maximum is {formatSizeLimit(props.maxFileSize)} for each file.
      </p>
    </div>
  )
}
