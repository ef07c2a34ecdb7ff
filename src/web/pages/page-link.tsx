import { type ReactNode, useContext } from 'react'
import { Link } from 'wouter'
import { ButtonLink, type ButtonLinkProps } from '../ui/button.tsx'
import { type PagePath, Preload } from './preload.ts'

/** Loads the screen's code when the pointer or the focus reaches its link. */
function useIntent(to: PagePath) {
  const preload = useContext(Preload)
  return { onPointerEnter: () => preload(to), onFocus: () => preload(to) }
}

/** A link in a text to another screen. */
export function PageLink({ to, children }: { to: PagePath; children: ReactNode }) {
  return (
    <Link
      href={to}
      {...useIntent(to)}
      className="font-[560] text-accent underline underline-offset-3 hover:decoration-2"
    >
      {children}
    </Link>
  )
}

/** A link to another screen that looks like a button. */
export function PageButton({
  to,
  ...look
}: { to: PagePath } & Pick<ButtonLinkProps, 'variant' | 'size' | 'wide' | 'icon' | 'children'>) {
  return (
    <Link href={to} {...useIntent(to)} asChild>
      <ButtonLink {...look} />
    </Link>
  )
}
