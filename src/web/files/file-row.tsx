import { ChartColumn, ReceiptText } from 'lucide-react'
import { useId, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { fileKind, kindLabel } from '../../shared/rules/files/file-kind.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { lifeline } from '../../shared/rules/links/lifeline.ts'
import { linkLabel, linkStatus } from '../../shared/rules/links/link-status.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useSupportEmail } from '../api/public-values.ts'
import { FileName } from '../ui/file-name.tsx'
import { FileActions } from './file-actions.tsx'
import { KindIcon } from './kind-icon.tsx'
import { Lifeline, textColors } from './lifeline.tsx'
import { getLinkEnd, linkDates } from './link-dates.ts'

export interface FileRowProps {
  file: StoredFile
  tier: Tier
  now: Date
  signature: string
  onDelete: (file: StoredFile) => void
  onRenew: (file: StoredFile) => void
  /** Expands or collapses the file's details: its receipt, and its statistics if available. */
  onDetails: (file: StoredFile) => void
  /** The id of the expanded details; undefined while collapsed. */
  openDetailsId?: string | undefined
  /** True if the details include daily downloads in addition to the receipt. */
  hasStatistics?: boolean
  /** Set for a file marked as new: `alone` if no other file is. */
  newMark?: 'alone' | 'with-others' | undefined
}

/** A file, shown as a row with columns on wide screens and as a card on narrow ones. */
export function FileRow({
  file,
  tier,
  now,
  signature,
  onDelete,
  onRenew,
  newMark,
  ...details
}: FileRowProps) {
  const [showsReason, setShowsReason] = useState(false)
  const reasonId = useId()
  const takedown = getTakedown(file)
  const dates = linkDates(file)
  const status = linkStatus(dates, tier, now)
  const isActive = status === 'active'
  const lifelineState = lifeline(dates, now, tierTraits[tier].renewal && file.purgingAt === null)
  const kind = fileKind(file)
  const link = `${window.location.origin}/s/${file.shortCode}`
  const sizeText = formatSize(file.size)
  const shownLinkEnd = getLinkEnd(dates, takedown?.at ?? null, tier, now)

  const downloadsButton = <DownloadsCount file={file} {...details} />

  return (
    <div className="grid grid-cols-[36px_minmax(0,1fr)] items-center gap-x-3 gap-y-3 px-4 py-3.5 sm:grid-cols-[36px_minmax(0,1fr)_auto] sm:gap-x-4 sm:gap-y-2.5 sm:px-5 lg:grid-cols-[36px_minmax(0,1fr)_84px_190px_64px_auto]">
      <span className="grid size-9 place-items-center rounded-[9px] bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] text-muted">
        <KindIcon kind={kind} size={18} />
        <span className="sr-only">{kindLabel(kind)}</span>
      </span>
      <div className="min-w-0">
        <div className={`font-[540] ${isActive ? '' : 'text-muted'}`}>
          <FileName name={file.originalName} />
        </div>
        <p className="flex flex-wrap items-center gap-x-1 text-muted text-sm tabular-nums pointer-coarse:-my-2.5 pointer-coarse:min-h-11">
          {isActive ? (
            <a
              href={link}
              className="no-underline hover:text-ink hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
            >
              /s/{file.shortCode}
            </a>
          ) : (
            <span>Link closed</span>
          )}
          {newMark ? <span className="ml-1 font-semibold text-accent">New</span> : null}
          {takedown === null ? null : (
            <span className="whitespace-nowrap">
              <span aria-hidden="true">· </span>
              <button
                type="button"
                aria-expanded={showsReason}
                aria-controls={showsReason ? reasonId : undefined}
                onClick={() => setShowsReason(!showsReason)}
                className="-my-1 min-h-6 rounded-[4px] py-1 hover:text-ink hover:underline pointer-coarse:my-0 pointer-coarse:min-h-11"
              >
                Reason
                <span className="sr-only"> of {file.originalName}</span>
              </button>
            </span>
          )}
        </p>
        {takedown !== null && showsReason ? (
          <TakedownReason id={reasonId} takedown={takedown} now={now} />
        ) : null}
      </div>
      <span className="hidden text-right text-muted tabular-nums lg:block">{sizeText}</span>
      <div className="col-span-full grid gap-1.5 sm:col-span-2 sm:col-start-2 lg:col-span-1 lg:col-start-auto">
        <Lifeline state={lifelineState} size="small" />
        <div className="flex flex-wrap justify-between gap-x-4 text-sm tabular-nums">
          <time
            dateTime={shownLinkEnd.at.toISOString()}
            title={shownLinkEnd.text}
            className={isActive ? textColors[lifelineState.tone] : textColors.over}
          >
            {takedown === null ? linkLabel(dates, tier, now) : 'Taken down'}
          </time>
          <span className="sr-only">{shownLinkEnd.text}</span>
          <span className="text-muted lg:hidden">
            {sizeText} · {downloadsButton}
          </span>
        </div>
      </div>
      <span className="hidden text-right text-muted text-sm tabular-nums lg:block">
        {downloadsButton}
      </span>
      <FileActions
        file={file}
        status={status}
        tier={tier}
        link={link}
        signature={signature}
        onDelete={onDelete}
        onRenew={onRenew}
        isPrimary={newMark === 'alone'}
      />
    </div>
  )
}

/** The download count, as a button that expands the file's details. */
function DownloadsCount(
  props: Pick<FileRowProps, 'file' | 'onDetails' | 'openDetailsId' | 'hasStatistics'>,
) {
  const { file, onDetails, openDetailsId, hasStatistics = false } = props
  const countText = file.downloadCount.toLocaleString('en')
  const label = formatCount(file.downloadCount, 'download')
  const isOpen = openDetailsId !== undefined
  const detailsName = hasStatistics ? 'statistics' : 'receipt'
  const Icon = hasStatistics ? ChartColumn : ReceiptText
  return (
    <button
      type="button"
      aria-label={`${label}, ${detailsName} of ${file.originalName}`}
      title={`${label}: ${detailsName}`}
      aria-expanded={isOpen}
      aria-controls={openDetailsId}
      onClick={() => onDetails(file)}
      className={`-my-1.5 inline-flex min-h-8 cursor-pointer items-center gap-1.5 rounded-[8px] px-2 tabular-nums transition-colors duration-120 hover:bg-[color-mix(in_oklab,transparent,var(--ink)_7%)] hover:text-ink pointer-coarse:min-h-11 ${isOpen ? 'bg-tint font-[560] text-ink' : ''}`}
    >
      {countText}
      <Icon aria-hidden="true" className="size-3.5" strokeWidth={1.8} />
    </button>
  )
}

interface TakedownNote {
  at: Date
  reason: string
}

function getTakedown({ takenDownAt, takedownReason }: StoredFile): TakedownNote | null {
  return takenDownAt === null ? null : { at: new Date(takenDownAt), reason: takedownReason ?? '' }
}

function TakedownReason({ id, takedown, now }: { id: string; takedown: TakedownNote; now: Date }) {
  const supportEmail = useSupportEmail()
  return (
    <div id={id} className="mt-1 max-w-[68ch] text-sm wrap-anywhere">
      <p className="whitespace-pre-line" dir="auto">
        {takedown.reason}
      </p>
      <p className="mt-1 text-muted">
        Taken down{' '}
        <time dateTime={takedown.at.toISOString()} className="tabular-nums">
          {localTimestampText(takedown.at, now)}
        </time>
        .{supportEmail ? ` If this is a mistake, write to ${supportEmail}.` : ''}
        {supportEmail === null ? (
          <>
            {' '}
            If this is a mistake,{' '}
            <a href="/feedback" className="underline underline-offset-3 hover:decoration-2">
              write to the operator
            </a>
            .
          </>
        ) : null}
      </p>
    </div>
  )
}
