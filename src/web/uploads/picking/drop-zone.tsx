import { Upload } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { filesText } from '../../../shared/rules/tiers/limit-text.ts'
import type { TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { Button } from '../../ui/button.tsx'
import type { Drop } from './dropped-files.ts'
import { ExpirationSelector } from './expiration-selector.tsx'
import { useFilePicker } from './use-file-picker.ts'

export interface DropZoneProps {
  /** The limits of the user's tier. */
  limits: TierLimits
  /** A line that says how many more files the user may have. */
  filesLeft: ReactNode
  days: number
  onDaysChange: (days: number) => void
  onChosen: (chosen: Drop) => void
  /** True while choosing files is the main action of the page. */
  isMain: boolean
  /** A reference to the file input behind the button. A click on the input asks for files. */
  input: RefObject<HTMLInputElement | null>
}

/** The id of the heading. The heading takes the focus when a card below it closes. */
export const dropZoneTitleId = 'drop-zone-title'

function limitsText({ maxFiles, maxFileSize }: TierLimits): string {
  return `Any type, up to ${formatSizeLimit(maxFileSize)} each${maxFiles === null ? '' : `, ${filesText(maxFiles)} at most`}`
}

/**
 * The part of the page where a person chooses files: the button, the limits and the expiration. The
 * whole page accepts drops. On a device that cannot drag, the text does not mention dragging.
 */
export function DropZone(props: DropZoneProps) {
  const { limits, filesLeft, days, onDaysChange, onChosen, isMain, input } = props
  useFilePicker(input, onChosen)
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
      {filesLeft}
      <p className="mt-0.5 text-muted text-sm cannot-drag:hidden">
        Folders work too, and so does pasting.
      </p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? [], (file) => ({ file }))
          onChosen({ files, unreadable: [] })
          // The input is emptied, or choosing the same file again would cause no event.
          currentTarget.value = ''
        }}
      />
      <div className="mt-6 flex flex-wrap items-center justify-center gap-x-5 gap-y-4">
        <Button variant={isMain ? 'primary' : 'plain'} onClick={() => input.current?.click()}>
          Choose files
        </Button>
        <ExpirationSelector limits={limits} days={days} onDaysChange={onDaysChange} />
      </div>
    </section>
  )
}
