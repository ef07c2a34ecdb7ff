import { Menu as Base } from '@base-ui/react/menu'
import type { RefObject } from 'react'
import type { MenuItem } from './menu-item.ts'

export interface MenuPopupProps {
  id: string
  items: readonly MenuItem[]
  /** The button that opened the menu. It gets the focus back. */
  button: RefObject<HTMLElement | null>
  onClose: () => void
}

/** The open menu of a `Menu`. */
export function MenuPopup({ id, items, button, onClose }: MenuPopupProps) {
  return (
    <Base.Root
      open
      modal={false}
      onOpenChange={(_, { event, cancel }) => {
        // A press on the button closes the menu itself.
        if (event.target instanceof Node && button.current?.contains(event.target)) cancel()
        else onClose()
      }}
    >
      <Base.Portal>
        <Base.Positioner
          anchor={button}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-30"
        >
          <Base.Popup
            id={id}
            finalFocus={button}
            className="min-w-44 max-w-[min(320px,90vw)] rounded-control border border-line bg-surface p-1 shadow-float outline-none transition-opacity duration-120 data-starting-style:opacity-0"
          >
            {items.map(({ label, icon, onSelect, unavailable }) => (
              <Base.Item
                key={label}
                disabled={unavailable !== undefined}
                onClick={onSelect}
                className="flex min-h-9 cursor-default select-none items-center gap-2.5 rounded-[7px] px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-[color-mix(in_oklab,transparent,var(--ink)_7%)] pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0"
              >
                <span aria-hidden="true" className="contents">
                  {icon}
                </span>
                <span>
                  <span className={unavailable ? 'text-muted' : ''}>{label}</span>
                  {unavailable ? <span className="block text-muted">{unavailable}</span> : null}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
