import { Tooltip as Base } from '@base-ui/react/tooltip'
import { type ReactElement, useState } from 'react'

export interface TooltipProps {
  /**
   * A short text. Without `showsOnPress` the page must say it elsewhere too, because touch screens
   * do not show it.
   */
  text: string
  /** The one element with the tooltip. It must pass on props and its ref. */
  children: ReactElement
  /**
   * Also shows the text when somebody presses the element. Use it only for an element that does
   * nothing else when it is pressed.
   */
  showsOnPress?: boolean
}

/** A short text beside an element, on hover and on keyboard focus. Escape hides it. */
export function Tooltip({ text, children, showsOnPress = false }: TooltipProps) {
  const [open, setOpen] = useState(false)
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger
        render={children}
        delay={400}
        closeOnClick={!showsOnPress}
        onClick={showsOnPress ? () => setOpen(true) : undefined}
      />
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
