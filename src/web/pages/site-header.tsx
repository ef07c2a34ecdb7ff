import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import type { User } from '../../shared/contract/account.ts'
import type { PendingWork } from '../../shared/contract/checks.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { pendingWorkQuery } from '../api/pending-work.ts'
import { signInWaysQuery } from '../api/public-values.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { UserAvatar } from '../auth/user-avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Mark } from '../ui/mark.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ThemeToggle } from '../ui/theme-toggle.tsx'
import { discardUploads } from '../uploads/use-uploads.ts'
import { PageButton } from './page-link.tsx'
import { Wrap } from './wrap.tsx'

function SignedInActions({ user }: { user: User }) {
  const { hasBadge, name } = tierTraits[user.tier]
  return (
    <>
      {user.isAdmin ? <AdminLink /> : null}
      {hasBadge ? (
        // On narrow phones, the Admin Center link leaves no space for the badge, so the badge is
        // only available to screen readers.
        <span className={user.isAdmin ? 'max-[440px]:sr-only' : 'contents'}>
          <Badge>{name}</Badge>
        </span>
      ) : null}
      <span className="min-w-0 truncate text-muted text-sm max-sm:sr-only" title={user.email}>
        {user.email}
      </span>
      <ThemeToggle />
      <AccountLink user={user} />
      <LogoutButton />
    </>
  )
}

/** A button that removes the user's uploads from the browser, then opens /api/logout. */
function LogoutButton() {
  const client = useQueryClient()
  const handleLogout = async () => {
    if (await discardUploads(client)) window.location.assign('/api/logout')
  }
  return (
    <Button size="small" onClick={() => void handleLogout()}>
      Log out
    </Button>
  )
}

function AccountLink({ user }: { user: User }) {
  const [path] = useLocation()
  const isCurrentPage = path === '/account'
  return (
    <Link
      href="/account"
      aria-current={isCurrentPage ? 'page' : undefined}
      className="grid shrink-0 place-items-center rounded-full no-underline transition-opacity hover:opacity-80 pointer-coarse:size-11"
    >
      <span className="sr-only">Account</span>
      <span
        className={`rounded-full ${isCurrentPage ? 'outline-2 outline-accent outline-offset-2' : ''}`}
      >
        <UserAvatar user={user} />
      </span>
    </Link>
  )
}

function SignedOutActions() {
  const { data: signInWays } = useQuery(signInWaysQuery)
  return (
    <>
      <ThemeToggle />
      <PageButton to="/login" size="small" variant="quiet">
        Sign In
      </PageButton>
      {signInWays?.signup === 'closed' ? null : (
        // The button is invisible until the sign-in methods have loaded, but takes up space to
        // prevent a layout shift.
        <span className={signInWays ? 'contents' : 'invisible'}>
          <PageButton to="/signup" size="small">
            Sign Up
          </PageButton>
        </span>
      )}
    </>
  )
}

/**
 * The logo as a link to /. For someone who isn't signed in, it is a plain link, because the server
 * responds with the landing page.
 */
function HomeLink({ leavesApp }: { leavesApp: boolean }) {
  const linkProps = {
    'aria-label': 'Mayfly, home',
    className: 'rounded-[6px] text-ink no-underline',
  }
  return leavesApp ? (
    <a href="/" {...linkProps}>
      <Mark />
    </a>
  ) : (
    <Link href="/" {...linkProps}>
      <Mark />
    </Link>
  )
}

/**
 * The header on every screen. It shows the signed-in user and a logout button, or links to the
 * login and signup pages.
 */
export function SiteHeader() {
  const { data: user, isPending } = useCurrentUser()
  return (
    <header className="border-line border-b">
      {/* On a phone with large text, items wrap onto another line. */}
      <Wrap className="flex min-h-16 items-center justify-between gap-x-4 max-sm:flex-wrap max-sm:py-2">
        <HomeLink leavesApp={!user} />
        <div className="ml-auto flex min-w-0 items-center justify-end gap-2 max-sm:flex-wrap sm:gap-3">
          {isPending ? (
            <Skeleton className="h-8 w-36" />
          ) : user ? (
            <SignedInActions user={user} />
          ) : user === null ? (
            <SignedOutActions />
          ) : (
            <ThemeToggle />
          )}
        </div>
      </Wrap>
    </header>
  )
}

/** The administrator's link to the Admin Center, with a count of pending items. */
export function AdminLink() {
  const [path] = useLocation()
  const { data: counts } = useQuery(pendingWorkQuery)
  return (
    <PageButton
      to="/admin"
      size="small"
      variant="quiet"
      aria-current={path === '/admin' ? 'page' : undefined}
    >
      <span className="relative">
        Admin
        {counts ? <PendingBadge {...counts} /> : null}
      </span>
    </PageButton>
  )
}

/**
 * Positioned absolutely to avoid layout shift, and limited to two characters to avoid overlapping
 * its neighbors.
 */
function PendingBadge({ failingChecks, openReports }: PendingWork) {
  const count = failingChecks + openReports
  if (count === 0) return null
  const label = [
    ...(failingChecks > 0 ? [formatCount(failingChecks, 'failing check')] : []),
    ...(openReports > 0 ? [formatCount(openReports, 'open report')] : []),
  ].join(', ')
  const colorClasses = failingChecks > 0 ? 'bg-red text-paper' : 'bg-accent text-on-accent'
  return (
    <>
      <span
        aria-hidden="true"
        title={label}
        className={`absolute -top-3 left-full -ml-1 min-w-[18px] rounded-full px-1 text-center font-semibold text-sm leading-[18px] tabular-nums forced-colors:border ${colorClasses}`}
      >
        {count > 9 ? '9+' : count}
      </span>
      <span className="sr-only">, {label}</span>
    </>
  )
}
