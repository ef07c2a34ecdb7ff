import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import type { MenuItem } from './menu-item.ts'

const MenuPopup = lazy(async () => ({ default: (await import('./menu-popup.tsx')).MenuPopup }))

export interface MenuProps {
  /** The button's accessible name and tooltip. */
  label: string
  icon: ReactNode
  items: readonly MenuItem[]
}

/** An icon button that opens a menu of actions. Unavailable actions say why. */
export function Menu({ label, icon, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const buttonRef = useRef<HTMLElement>(null)
  return (
    <>
      <IconButton
        ref={buttonRef}
        label={label}
        icon={icon}
        aria-haspopup="menu"
        expands={{ id, isOpen }}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen ? (
        <Suspense fallback={null}>
          <MenuPopup id={id} items={items} button={buttonRef} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
