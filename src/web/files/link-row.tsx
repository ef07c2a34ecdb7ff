import { ChartColumn, ChevronDown, Files, Lock, ReceiptText } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { fileKind, kindLabel } from '../../shared/rules/files/file-kind.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { lifeline } from '../../shared/rules/links/lifeline.ts'
import { downloadsLeft, linkLabel, linkStatus } from '../../shared/rules/links/link-status.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useSupportEmail } from '../api/public-values.ts'
import { Fact, FactLink, Facts } from '../ui/facts.tsx'
import { FileName } from '../ui/file-name.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { KindIcon } from './kind-icon.tsx'
import { Lifeline, textColors } from './lifeline.tsx'
import { LinkActions, type LinkActionsProps } from './link-actions.tsx'
import { getLinkEnd, linkDates } from './link-dates.ts'
import { isOpen, type ListedLink, uploadPercent } from './listed-link.ts'

/** What can be expanded below a row. */
export type RowPanel = 'files' | 'details'

export interface LinkRowProps
  extends Pick<
    LinkActionsProps,
    'link' | 'tier' | 'signature' | 'sending' | 'onDelete' | 'onShare' | 'onDialog' | 'onAddFiles'
  > {
  now: Date
  /** Expands or collapses the link's files, or its details: its statistics and receipt. */
  onToggle: (panel: RowPanel) => void
  /** The expanded panel and its id; undefined while collapsed. */
  openPanel?: { panel: RowPanel; id: string } | undefined
  /** True if the details include daily downloads in addition to the receipt. */
  hasStatistics?: boolean
  /** Set for a link marked as new: `alone` if no other link is. */
  newMark?: 'alone' | 'with-others' | undefined
}

/** A link, shown as a row with columns on wide screens and as a card on narrow ones. */
export function LinkRow({
  link,
  tier,
  now,
  newMark,
  onToggle,
  openPanel,
  hasStatistics = false,
  ...actions
}: LinkRowProps) {
  const status = linkStatus(linkDates(link), tier, now)
  const isActive = isOpen(link, tier, now)
  const url = `${window.location.origin}/s/${link.shortCode}`
  const ownName = link.title ?? link.files[0]?.name ?? ''
  const sizeText = formatSize(link.totalSize)
  const openId = (panel: RowPanel) => (openPanel?.panel === panel ? openPanel.id : undefined)

  const downloadsButton = (
    <DownloadsCount
      link={link}
      hasStatistics={hasStatistics}
      openId={openId('details')}
      onToggle={() => onToggle('details')}
    />
  )

  return (
    <div className="grid grid-cols-[36px_minmax(0,1fr)] items-center gap-x-3 gap-y-3 px-4 py-3.5 sm:grid-cols-[36px_minmax(0,1fr)_auto] sm:gap-x-4 sm:gap-y-2.5 sm:px-5 lg:grid-cols-[36px_minmax(0,1fr)_84px_190px_64px_auto]">
      <span className="grid size-9 place-items-center rounded-[9px] bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] text-muted">
        <LinkIcon link={link} />
      </span>
      <div className="min-w-0">
        <div className={`font-[540] ${isActive ? '' : 'text-muted'}`}>
          <FileName name={ownName} end={link.name.slice(ownName.length)} />
        </div>
        <LinkFacts
          link={link}
          isActive={isActive}
          url={url}
          now={now}
          isNew={newMark !== undefined}
          openId={openId('files')}
          onToggle={() => onToggle('files')}
        />
      </div>
      <span className="hidden text-right text-muted tabular-nums lg:block">{sizeText}</span>
      <div className="col-span-full grid gap-1.5 sm:col-span-2 sm:col-start-2 lg:col-span-1 lg:col-start-auto">
        <LinkTime
          link={link}
          tier={tier}
          now={now}
          isActive={isActive}
          end={
            <span className="text-muted lg:hidden">
              {sizeText} · {downloadsButton}
            </span>
          }
        />
      </div>
      <span className="hidden text-right text-muted text-sm tabular-nums lg:block">
        {downloadsButton}
      </span>
      <LinkActions
        {...actions}
        link={link}
        status={status}
        tier={tier}
        url={url}
        isPrimary={newMark === 'alone'}
      />
    </div>
  )
}

function LinkIcon({ link: { files } }: Pick<LinkRowProps, 'link'>) {
  const [file] = files
  if (files.length > 1 || !file) return <Files size={18} strokeWidth={1.6} aria-hidden="true" />
  const kind = fileKind({ mimeType: file.mimeType, originalName: file.name })
  return (
    <>
      <KindIcon kind={kind} size={18} />
      <span className="sr-only">{kindLabel(kind)}</span>
    </>
  )
}

interface LinkFactsProps extends Pick<LinkRowProps, 'link' | 'now'> {
  isActive: boolean
  /** The link as an absolute URL. */
  url: string
  isNew: boolean
  /** The id of the expanded list of files; undefined while collapsed. */
  openId: string | undefined
  onToggle: () => void
}

/** The line under a link's name: its address, and what else there is to know about it. */
function LinkFacts({ link, isActive, url, now, isNew, openId, onToggle }: LinkFactsProps) {
  const [showsReason, setShowsReason] = useState(false)
  const reasonId = useId()
  const [showsUndelivered, setShowsUndelivered] = useState(false)
  const undeliveredId = useId()
  const { files, hasPassword, maxDownloads, message, name } = link
  const { requestId, senderName, shared, undelivered } = link
  const takedown = getTakedown(link)
  const remaining = downloadsLeft(link)
  return (
    <>
      <Facts>
        <Fact>
          {isActive ? <FactLink href={url}>/s/{link.shortCode}</FactLink> : 'Link closed'}
          {isNew ? <span className="ml-2 font-semibold text-accent">New</span> : null}
        </Fact>
        {files.length > 1 ? (
          <Fact>
            <button
              type="button"
              aria-expanded={openId !== undefined}
              aria-controls={openId}
              onClick={onToggle}
              className={factButtonClass}
            >
              {formatCount(files.length, 'file')}
              <span className="sr-only"> of {name}</span>
              <ChevronDown
                aria-hidden="true"
                className={`ml-0.5 inline size-3.5 transition-transform duration-120 ${openId === undefined ? '' : 'rotate-180'}`}
              />
            </button>
          </Fact>
        ) : null}
        {requestId === null ? null : (
          <Fact>
            {senderName === null ? (
              'Received'
            ) : (
              <>
                From <bdi className="whitespace-normal wrap-anywhere">{senderName}</bdi>
              </>
            )}
          </Fact>
        )}
        {shared ? null : <Fact>Not shared</Fact>}
        {hasPassword ? (
          <Fact>
            <Lock aria-hidden="true" className="mr-1 mb-0.5 inline size-3.5" />
            Password
          </Fact>
        ) : null}
        {remaining === null ? null : (
          <Fact>
            <span className={remaining === 0 ? 'text-amber' : ''}>
              {remaining.toLocaleString('en')} of {formatCount(maxDownloads ?? 0, 'download')} left
            </span>
          </Fact>
        )}
        {takedown === null ? null : (
          <Fact>
            <button
              type="button"
              aria-expanded={showsReason}
              aria-controls={showsReason ? reasonId : undefined}
              onClick={() => setShowsReason(!showsReason)}
              className={factButtonClass}
            >
              Reason
              <span className="sr-only"> of {name}</span>
            </button>
          </Fact>
        )}
        {undelivered.length === 0 ? null : (
          <Fact>
            <button
              type="button"
              aria-expanded={showsUndelivered}
              aria-controls={showsUndelivered ? undeliveredId : undefined}
              onClick={() => setShowsUndelivered(!showsUndelivered)}
              className={`${factButtonClass} text-amber`}
            >
              {formatCount(undelivered.length, 'email')} not delivered
              <span className="sr-only"> with link of {name}</span>
            </button>
          </Fact>
        )}
      </Facts>
      {message !== null && !shared ? (
        <p dir="auto" className="mt-1 line-clamp-2 max-w-[68ch] text-sm wrap-anywhere">
          {message}
        </p>
      ) : null}
      {takedown !== null && showsReason ? (
        <TakedownReason id={reasonId} takedown={takedown} now={now} />
      ) : null}
      {showsUndelivered ? (
        <p id={undeliveredId} className="mt-1 max-w-[68ch] text-sm wrap-anywhere">
          This link could not be delivered to {undelivered.join(', ')}.
        </p>
      ) : null}
    </>
  )
}

const factButtonClass =
  '-my-1 min-h-6 rounded-[4px] py-1 hover:text-ink hover:underline pointer-coarse:my-0 pointer-coarse:min-h-11'

interface LinkTimeProps extends Pick<LinkRowProps, 'link' | 'tier' | 'now'> {
  isActive: boolean
  /** Content at the end of the line. */
  end: ReactNode
}

/** A link's lifeline and label (spec §4), or its progress while files are being uploaded. */
function LinkTime({ link, tier, now, isActive, end }: LinkTimeProps) {
  const lineClass = 'flex flex-wrap justify-between gap-x-4 text-sm tabular-nums'
  if (link.state === 'uploading') {
    const percent = uploadPercent(link)
    return (
      <>
        <ProgressBar label={`Uploading ${link.name}`} value={percent} />
        <div className={lineClass}>
          <span>Uploading… {percent}%</span>
          {end}
        </div>
      </>
    )
  }
  const dates = linkDates(link)
  const takedown = getTakedown(link)
  const lifelineState = lifeline(dates, now, tierTraits[tier].renewal && link.purgingAt === null)
  const shownLinkEnd = getLinkEnd(dates, takedown?.at ?? null, tier, now)
  return (
    <>
      <Lifeline state={lifelineState} size="small" />
      <div className={lineClass}>
        <time
          dateTime={shownLinkEnd.at.toISOString()}
          title={shownLinkEnd.text}
          className={isActive ? textColors[lifelineState.tone] : textColors.over}
        >
          {takedown === null ? linkLabel(dates, tier, now) : 'Taken down'}
        </time>
        <span className="sr-only">{shownLinkEnd.text}</span>
        {end}
      </div>
    </>
  )
}

interface DownloadsCountProps extends Pick<LinkRowProps, 'link'> {
  hasStatistics: boolean
  /** The id of the expanded details; undefined while collapsed. */
  openId: string | undefined
  onToggle: () => void
}

/** The download count, as a button that expands the link's details. */
function DownloadsCount({ link, hasStatistics, openId, onToggle }: DownloadsCountProps) {
  const countText = link.downloadCount.toLocaleString('en')
  const label = formatCount(link.downloadCount, 'download')
  const isOpen = openId !== undefined
  const detailsName = hasStatistics ? 'statistics' : 'receipt'
  const Icon = hasStatistics ? ChartColumn : ReceiptText
  return (
    <button
      type="button"
      aria-label={`${label}, ${detailsName} of ${link.name}`}
      title={`${label}: ${detailsName}`}
      aria-expanded={isOpen}
      aria-controls={openId}
      onClick={onToggle}
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

function getTakedown({ takenDownAt, takedownReason }: ListedLink): TakedownNote | null {
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
