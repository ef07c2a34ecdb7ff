import { useLocation } from 'wouter'
import type { AdminWaiting } from '../../shared/contract/checks.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import { useAdminWaiting } from '../api/use-admin-waiting.ts'
import { PageButton } from './page-link.tsx'

/** The link to the Admin Center, for the administrator. A mark on it counts what waits there. */
export function AdminLink() {
  const [path] = useLocation()
  const { data: waiting } = useAdminWaiting()
  return (
    <PageButton
      to="/admin"
      size="small"
      variant="quiet"
      aria-current={path === '/admin' ? 'page' : undefined}
    >
      <span className="relative">
        Admin
        {waiting ? <WaitingMark {...waiting} /> : null}
      </span>
    </PageButton>
  )
}

/**
 * The mark takes no room in the header, so nothing moves when it appears. It has at most two
 * characters, which do not touch what stands beside the link.
 */
function WaitingMark({ failingChecks, openReports }: AdminWaiting) {
  const count = failingChecks + openReports
  if (count === 0) return null
  const words = [
    ...(failingChecks > 0 ? [counted(failingChecks, 'failing check')] : []),
    ...(openReports > 0 ? [counted(openReports, 'open report')] : []),
  ].join(', ')
  const colours = failingChecks > 0 ? 'bg-red text-paper' : 'bg-accent text-on-accent'
  return (
    <>
      <span
        aria-hidden="true"
        title={words}
        className={`absolute -top-3 left-full -ml-1 min-w-[18px] rounded-full px-1 text-center font-semibold text-sm leading-[18px] tabular-nums forced-colors:border ${colours}`}
      >
        {count > 9 ? '9+' : count}
      </span>
      <span className="sr-only">, {words}</span>
    </>
  )
}
