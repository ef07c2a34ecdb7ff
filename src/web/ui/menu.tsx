import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

export interface MenuItem {
  label: string
  icon: ReactNode
  onSelect: () => void
  /** A sentence that says why the item is unavailable. */
  unavailable?: string | undefined
}

export interface MenuProps {
  /** The button's accessible name and tooltip. */
  label: string
  icon: ReactNode
  items: readonly MenuItem[]
}

/** An icon button that opens a menu of actions. Unavailable actions say why. */
export function Menu({ label, icon, items }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={<IconButton label={label} icon={icon} />} />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-30">
          <Base.Popup className="min-w-44 max-w-[min(320px,90vw)] rounded-control border border-line bg-surface p-1 shadow-float outline-none transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0">
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
