import { useLayoutEffect, useRef, useState } from 'react'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { lifeline } from '../../shared/rules/links/lifeline.ts'
import { lifetimeDays, renewedExpiry } from '../../shared/rules/links/lifetime.ts'
import { linkLabel, linkStatus, timeLeftText } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { daysText, selectedDays } from '../../shared/rules/tiers/tier-limits.ts'
import { useLimits } from '../api/public-values.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ButtonRow, DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { SegmentedControl } from '../ui/segmented-control.tsx'
import { isPermanentError, useRenewLink } from './change-links.ts'
import { CopyLinkButton } from './copy-links.tsx'
import { Lifeline, textColors } from './lifeline.tsx'
import { linkDates, rowId } from './link-dates.ts'
import { type ListedLink, notSharedReason } from './listed-link.ts'
import { shareEmailUrl } from './share-email.ts'

const noErrors = {}

/** Returns when the new link would expire, and whether the maximum lifetime cuts that short. */
function previewRenewal(link: ListedLink, days: number, now: Date) {
  const dates = linkDates(link)
  const expiresAt = renewedExpiry(now, days, dates.maxLifetimeAt)
  const isCapped = expiresAt.getTime() - now.getTime() < days * dayInMs
  return { expiresAt, isCapped, lifelineState: lifeline({ ...dates, expiresAt }, now, true) }
}

interface BarProps {
  name: string
  /** True for the new link's bar, which is highlighted. */
  isNew?: boolean
  lifelineState: ReturnType<typeof lifeline>
  label: string
  until: string | null
}

function Bar({ name, isNew = false, lifelineState, label, until }: BarProps) {
  return (
    <div className="grid items-start gap-x-4 gap-y-1.5 sm:grid-cols-[76px_1fr]">
      <span
        className={`text-sm leading-none sm:-mt-[3px] ${isNew ? 'font-semibold' : 'text-muted'}`}
      >
        {name}
      </span>
      <div className="grid gap-2">
        <Lifeline state={lifelineState} size="wide" />
        <p className="flex flex-wrap justify-between gap-x-3 text-sm tabular-nums">
          <span className={`${textColors[lifelineState.tone]} ${isNew ? 'font-semibold' : ''}`}>
            {label}
          </span>
          {until === null ? null : <span className={isNew ? '' : 'text-muted'}>until {until}</span>}
        </p>
      </div>
    </div>
  )
}

function RenewForm({
  link,
  tier,
  now,
  onRenew,
}: Pick<RenewDialogProps, 'link' | 'tier' | 'now'> & {
  onRenew: (days: number) => Promise<unknown>
}) {
  const limits = useLimits()[tier]
  const [chosenDays, setChosenDays] = useState<number>()
  const days = selectedDays(limits, chosenDays)
  const dates = linkDates(link)
  const isSingle = link.files.length === 1
  const isActive = linkStatus(dates, tier, now) === 'active'
  const { expiresAt, isCapped, lifelineState } = previewRenewal(link, days, now)
  return (
    <Form errors={noErrors} onSubmit={() => onRenew(days)}>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span aria-hidden="true" className="font-[560] text-sm">
          New link for
        </span>
        <SegmentedControl
          label="New link for"
          options={limits.expirationDays.map((option) => ({
            value: String(option),
            label: daysText(option),
          }))}
          value={String(days)}
          onValueChange={(value) => setChosenDays(Number(value))}
        />
      </div>
      <Bar
        name="Now"
        lifelineState={lifeline(dates, now, true)}
        label={linkLabel(dates, tier, now)}
        until={isActive ? localTimestampText(dates.expiresAt, now) : null}
      />
      <div aria-live="polite" className="grid gap-3.5">
        <Bar
          name="New link"
          isNew
          lifelineState={lifelineState}
          label={timeLeftText(expiresAt.getTime() - now.getTime())}
          until={localTimestampText(expiresAt, now)}
        />
        {isCapped ? (
          <p className="text-muted text-sm">
            {isSingle ? 'This file is' : 'These files are'} kept for at most{' '}
            {daysText(lifetimeDays(dates))}, so {daysText(days)} end with the{' '}
            {isSingle ? 'file' : 'files'}.
          </p>
        ) : null}
      </div>
      <div className="mt-1">
        <DialogButtons label="Renew" variant="primary" pendingLabel="Renewing…" />
      </div>
    </Form>
  )
}

function NewLink({
  link,
  tier,
  now,
  signature,
  onClose,
}: Pick<RenewDialogProps, 'link' | 'tier' | 'now' | 'signature'> & { onClose: () => void }) {
  const copyButtonRef = useRef<HTMLElement>(null)
  // Removing the previous step also removed the focused button. `useEffect` would run too late,
  // after the dialog has taken focus.
  useLayoutEffect(() => copyButtonRef.current?.focus(), [])
  const dates = linkDates(link)
  const { host, origin } = window.location
  const url = `${origin}/s/${link.shortCode}`
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2 rounded-control border border-edge p-2 pl-3.5">
        <span className="min-w-0 flex-1 select-all font-[540] wrap-anywhere max-sm:basis-full max-sm:py-1.5">
          {host}/s/{link.shortCode}
        </span>
        <div className="max-sm:flex-1">
          <CopyLinkButton
            ref={copyButtonRef}
            variant={link.shared ? 'primary' : 'plain'}
            unavailable={link.shared ? undefined : notSharedReason}
            size="medium"
            url={url}
            name={link.name}
          />
        </div>
      </div>
      <p className="flex flex-wrap justify-between gap-x-3 text-sm tabular-nums">
        <span>{linkLabel(dates, tier, now)}</span>
        <span className="text-muted">until {localTimestampText(dates.expiresAt, now)}</span>
      </p>
      <div className="mt-1">
        <ButtonRow>
          {link.shared ? (
            <ButtonLink href={shareEmailUrl(link, url, signature)}>Email link</ButtonLink>
          ) : null}
          <Button onClick={onClose}>Done</Button>
        </ButtonRow>
      </div>
    </div>
  )
}

export interface RenewDialogProps {
  /** The link to renew. Keep it set until the dialog has closed. */
  link: ListedLink
  tier: Tier
  now: Date
  signature: string
  /** Called after the closing animation. */
  onClosed: () => void
}

/**
 * The dialog that renews a link (spec §4). Two bars compare the current link with the new one.
 * After the renewal, the dialog shows the new link.
 */
export function RenewDialog(props: RenewDialogProps) {
  const { link, tier, now, signature, onClosed } = props
  const [isOpen, setOpen] = useState(true)
  const [openerElement] = useState(document.activeElement)
  const onClose = () => setOpen(false)
  const { mutateAsync, data: renewedLink, isPending } = useRenewLink()
  const { name } = link
  const noun = link.files.length === 1 ? 'file' : 'files'
  const isActive = linkStatus(linkDates(link), tier, now) === 'active'
  const renew = (days: number) =>
    // After a permanent error, retrying would be pointless, so the dialog closes.
    mutateAsync({ code: link.shortCode, days }).catch(
      (error) => isPermanentError(error) && onClose(),
    )
  return (
    <FormDialog
      wide
      open={isOpen}
      onOpenChange={() => (isPending ? undefined : onClose())}
      onClosed={onClosed}
      // A renewal may replace the button that opened the dialog.
      finalFocus={() => (openerElement?.isConnected ? true : document.getElementById(rowId(link)))}
      title={renewedLink ? `New link for ${name}` : `Renew ${name}`}
      description={
        renewedLink
          ? `The old link no longer works. Send this one to everyone who needs the ${noun}.`
          : isActive
            ? `It gets a completely new link. The old one, /s/${link.shortCode}, stops working at once.`
            : `It gets a completely new link. The old one ended on ${localTimestampText(linkDates(link).expiresAt, now)}.`
      }
    >
      {renewedLink ? (
        <NewLink link={renewedLink} tier={tier} now={now} signature={signature} onClose={onClose} />
      ) : (
        <RenewForm link={link} tier={tier} now={now} onRenew={renew} />
      )}
    </FormDialog>
  )
}
