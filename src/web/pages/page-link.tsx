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

/** A link to another screen that looks like a button. `next` is the same as for `PageLink`. */
export function PageButton({
  to,
  next = '/',
  ...look
}: { to: PagePath; next?: string } & Pick<
  ButtonLinkProps,
  'variant' | 'size' | 'wide' | 'icon' | 'children' | 'aria-current'
>) {
  return (
    <Link href={withNext(to, next)} {...useIntent(to)} asChild>
      <ButtonLink {...look} />
    </Link>
  )
}
