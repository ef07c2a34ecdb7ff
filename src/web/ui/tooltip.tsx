import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

export interface TooltipProps {
  /** A short text. It must also stand elsewhere, because touch screens show no tooltips. */
  text: string
  /** The one element with the tooltip. It must pass on props and its ref. */
  children: ReactElement
}

/** A short text beside an element, on hover and on keyboard focus. Escape hides it. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={400} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="max-w-[min(320px,90vw)] rounded-[8px] bg-ink px-2.5 py-1.5 text-paper text-sm shadow-float transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0 wrap-anywhere">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
