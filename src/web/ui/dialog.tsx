import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

export const backdropLook =
  'fixed inset-0 z-40 bg-[rgb(17_19_18/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

export const popupLook =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] w-[min(440px,calc(100vw-32px))] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0'

export interface DialogProps {
  open: boolean
  /** Called with false when Escape, the backdrop or the close button ask to close it. */
  onOpenChange: (open: boolean) => void
  title: string
  /** A sentence under the title, read out when it opens. */
  description?: ReactNode
  children?: ReactNode
  /** The buttons at its end, the one to press last. */
  actions?: ReactNode
}

/** A modal dialog: it holds the focus, Escape closes it, and the focus goes back where it came from. */
export const Dialog = ({
  open,
  onOpenChange,
  title,
  description,
  children,
  actions,
}: DialogProps) => (
  <Base.Root open={open} onOpenChange={onOpenChange}>
    <Base.Portal>
      <Base.Backdrop className={backdropLook} />
      <Base.Popup className={popupLook}>
        <div className="flex items-start justify-between gap-3">
          <Base.Title className="text-lg wrap-anywhere">{title}</Base.Title>
          <div className="-mt-1.5 -mr-2">
            <IconButton label="Close" icon={<X />} onClick={() => onOpenChange(false)} />
          </div>
        </div>
        {description ? (
          <Base.Description className="mt-2 text-muted wrap-anywhere">
            {description}
          </Base.Description>
        ) : null}
        {children ? <div className="mt-4">{children}</div> : null}
        {actions ? <div className="mt-6 flex flex-wrap justify-end gap-2">{actions}</div> : null}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)
