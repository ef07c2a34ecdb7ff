import { Upload } from 'lucide-react'
import { daysText } from '../../../shared/rules/tiers/limit-text.ts'

/**
 * Covers the page while files are dragged over it. The uploads panel stays visible above the
 * overlay, because a person may drop a file onto a paused upload in it. The overlay takes no
 * pointer events, or it would flicker while files are dragged over it.
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
