import { createContext, type ReactNode, useContext } from 'react'
import { Link } from 'wouter'
import type { pages } from '../../shared/pages.ts'
import { withNext } from '../../shared/rules/accounts/next-path.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { ButtonLink, type ButtonLinkProps } from '../ui/button.tsx'

/**
 * Returns the event handlers of a link. They load the code of its target screen when the pointer or
 * the focus reaches the link.
 */
export function useIntent(to: PagePath) {
  const preload = useContext(Preload)
  return { onPointerEnter: () => preload(to), onFocus: () => preload(to) }
}

/**
 * Tells whether a link leaves this application. For a visitor, the link to / does so, because the
 * server answers it with the landing page.
 */
function useLeaves(to: PagePath): boolean {
  const { data: user } = useCurrentUser()
  return to === '/' && !user
}

const textLink = 'font-[560] text-accent underline underline-offset-3 hover:decoration-2'

/**
 * A link in a text to another screen. If people sign in on that screen, they get to the page
 * `next`.
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
  const leaves = useLeaves(to)
  const intent = useIntent(to)
  if (leaves) {
    return (
      <a href={to} className={textLink}>
        {children}
      </a>
    )
  }
  return (
    <Link href={withNext(to, next)} {...intent} className={textLink}>
      {children}
    </Link>
  )
}

/** A link to another screen that looks like a button. `PageLink` explains `next`. */
export function PageButton({
  to,
  next = '/',
  ...look
}: { to: PagePath; next?: string } & Pick<
  ButtonLinkProps,
  'variant' | 'size' | 'wide' | 'icon' | 'children' | 'aria-current'
>) {
  const leaves = useLeaves(to)
  const intent = useIntent(to)
  if (leaves) return <ButtonLink href={to} {...look} />
  return (
    <Link href={withNext(to, next)} {...intent} asChild>
      <ButtonLink {...look} />
    </Link>
  )
}

/** The path of a screen of this application. */
export type PagePath = (typeof pages)[number]

/**
 * Provides the function that loads a link's target screen before a person presses the link. The
 * route table provides it. Links cannot import the screens themselves, because screens contain
 * links.
 */
export const Preload = createContext<(path: PagePath) => void>(() => undefined)
