import { type ReactNode, useContext } from 'react'
import { Link } from 'wouter'
import { withNext } from '../../shared/rules/next-path.ts'
import { ButtonLink, type ButtonLinkProps } from '../ui/button.tsx'
import { type PagePath, Preload } from './preload.ts'

/** Loads the code of a link's target screen when the pointer or the focus reaches the link. */
export function useIntent(to: PagePath) {
  const preload = useContext(Preload)
  return { onPointerEnter: () => preload(to), onFocus: () => preload(to) }
}

/**
 * A link in a text to another screen. `next` is the page to which signing in leads from that
 * screen.
 */
export function PageLink({
  to,
  next = '/',
  children,
}: {
  to: PagePath
  next?: string
  children: ReactNode
}) {
  return (
    <Link
      href={withNext(to, next)}
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
