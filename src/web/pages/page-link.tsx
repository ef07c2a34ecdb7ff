import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { appPaths } from '../../shared/pages.ts'
import { withNext } from '../../shared/rules/accounts/next-path.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { ButtonLink, type ButtonLinkProps } from '../ui/button.tsx'

interface LinkTarget {
  /** One of this application's screens, or one of the server's pages to sign in. */
  to: (typeof appPaths)[number] | '/login' | '/signup'
  /** The page to open after the user signs in on the screen `to`. */
  next?: string
}

/**
 * Reports whether a link leaves this application. For someone who isn't signed in, the link to /
 * does, because the server responds with the landing page.
 */
function useLeavesApp(to: LinkTarget['to']): boolean {
  const { data: user } = useCurrentUser()
  const isScreen = appPaths.some((path) => path === to)
  return !isScreen || (to === '/' && !user)
}

/** A text link to another screen. */
export function PageLink({ to, next = '/', children }: LinkTarget & { children: ReactNode }) {
  const linkClass = 'font-[560] text-accent underline underline-offset-3 hover:decoration-2'
  return useLeavesApp(to) ? (
    <a href={withNext(to, next)} className={linkClass}>
      {children}
    </a>
  ) : (
    <Link href={withNext(to, next)} className={linkClass}>
      {children}
    </Link>
  )
}

/** A link to another screen, styled as a button. */
export function PageButton({
  to,
  next = '/',
  ...buttonProps
}: LinkTarget &
  Pick<ButtonLinkProps, 'variant' | 'size' | 'wide' | 'icon' | 'children' | 'aria-current'>) {
  return useLeavesApp(to) ? (
    <ButtonLink href={withNext(to, next)} {...buttonProps} />
  ) : (
    <Link href={withNext(to, next)} asChild>
      <ButtonLink {...buttonProps} />
    </Link>
  )
}
