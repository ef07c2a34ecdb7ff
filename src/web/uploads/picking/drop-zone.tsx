import { Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { daysText, filesText, type TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { Button } from '../../ui/button.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { FileInput, type FileInputProps } from './file-input.tsx'
import { LinkChoice, type LinkForm, LinkOptionFields } from './link-form.tsx'

export interface DropZoneProps extends Pick<FileInputProps, 'onFiles' | 'inputRef'> {
  limits: TierLimits
  /** A line with the number of files the user can still add. */
  remainingFilesLine: ReactNode
  days: number
  onDaysChange: (days: number) => void
  /** The choices for the links of the next files. */
  linkForm: LinkForm
  /** True if choosing files is the page's main action. */
  isPrimary: boolean
}

/** The heading's ID. When a card below the heading closes, focus moves to the heading. */
export const dropZoneTitleId = 'drop-zone-title'

function limitsText({ maxFiles, maxFileSize }: TierLimits): string {
  return `Any type, up to ${formatSizeLimit(maxFileSize)} each${maxFiles === null ? '' : `, ${filesText(maxFiles)} at most`}`
}

/**
 * The page section for choosing files and their expiration. Drops are accepted on the whole page
 * (see `usePageFiles`).
 */
export function DropZone(props: DropZoneProps) {
  const { limits, remainingFilesLine, days, onDaysChange, linkForm, onFiles, isPrimary } = props
  const { inputRef } = props
  return (
    <section
      aria-labelledby={dropZoneTitleId}
      className="flex flex-col items-center rounded-card border-[1.5px] border-edge border-dashed bg-surface px-4 py-9 text-center sm:px-6 sm:py-11"
    >
      <Upload aria-hidden="true" className="size-7 text-accent" strokeWidth={1.6} />
      <h2 id={dropZoneTitleId} tabIndex={-1} className="mt-3 text-lg">
        <span className="cannot-drag:hidden">Drop files anywhere on this page</span>
        <span className="can-drag:hidden">Choose what to upload</span>
      </h2>
      <p className="mt-1.5 text-muted">{limitsText(limits)}</p>
      {remainingFilesLine}
      <p className="mt-0.5 text-muted text-sm cannot-drag:hidden">
        You can also drop folders or paste files.
      </p>
      <FileInput label="Files to upload" onFiles={onFiles} inputRef={inputRef} />
      <div className="mt-6 flex flex-wrap items-center justify-center gap-x-5 gap-y-4">
        <Button variant={isPrimary ? 'primary' : 'plain'} onClick={() => inputRef.current?.click()}>
          Choose files
        </Button>
        <ExpirationSelector limits={limits} days={days} onDaysChange={onDaysChange} />
        {limits.maxFiles === 1 ? null : <LinkChoice form={linkForm} />}
      </div>
      <LinkOptionFields form={linkForm} />
    </section>
  )
}

/**
 * Lets the user choose when new links expire (spec §5). If the tier has only one option, shows it
 * as text, such as '3 days (default)'.
 */
function ExpirationSelector(props: Pick<DropZoneProps, 'limits' | 'days' | 'onDaysChange'>) {
  const { expirationDays } = props.limits
  const isFixed = expirationDays.length === 1
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2">
      <span className="text-muted text-sm" aria-hidden={!isFixed}>
        Expires after
      </span>
      {isFixed ? (
        <span className="font-[560] text-sm">{daysText(props.days)} (default)</span>
      ) : (
        <SegmentedControl
          label="Expires after"
          options={expirationDays.map((days) => ({ value: String(days), label: daysText(days) }))}
          value={String(props.days)}
          onValueChange={(value) => props.onDaysChange(Number(value))}
        />
      )}
    </div>
  )
}

/**
 * Covers the page while files are dragged over it. Ignores pointer events to let users drop files
 * onto a paused upload in the uploads panel.
 */
export function DropOverlay({ days }: { days: number }) {
  return (
    <div className="pointer-events-none fixed inset-0 z-20 bg-[color-mix(in_oklab,transparent,var(--paper)_80%)] p-3">
      <div className="grid size-full place-content-center rounded-card border-2 border-accent border-dashed">
        <div className="grid justify-items-center gap-1 rounded-card bg-surface px-12 py-9 text-center shadow-float">
          <Upload aria-hidden="true" className="size-8 text-accent" strokeWidth={1.6} />
          <p className="mt-3 font-semibold text-xl">Drop to upload</p>
          <p className="text-muted">Each link expires after {daysText(days)}</p>
        </div>
      </div>
    </div>
  )
}
