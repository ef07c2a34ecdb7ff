import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { User } from '../../../shared/contract/account.ts'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { localDayText } from '../../../shared/rules/format/timestamp-text.ts'
import { tierTraits } from '../../../shared/rules/tiers/tier.ts'
import { serverNow } from '../../api/server-clock.ts'
import { Card } from '../../ui/card.tsx'
import { InlineLoadError, QueryFigure } from '../../ui/load-error.tsx'
import { holdingsQuery } from './account-queries.ts'

/** Shows the account's tier, number of files, storage use and number of active links. */
export function AccountUsage({ user }: { user: User }) {
  const query = useQuery(holdingsQuery)
  const { data, isError } = query
  return (
    <Card className="p-5 sm:p-6">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-5 sm:grid-cols-4">
        <Figure name="Tier" note={tierNote(user)}>
          {tierTraits[user.tier].name}
        </Figure>
        <Figure name="Files">
          <QueryFigure query={query}>{data?.fileCount.toLocaleString('en')}</QueryFigure>
        </Figure>
        <Figure name="Stored">
          <QueryFigure query={query}>{data && formatSize(data.totalSize)}</QueryFigure>
        </Figure>
        <Figure name="Active links">
          <QueryFigure query={query}>{data?.activeLinks.toLocaleString('en')}</QueryFigure>
        </Figure>
      </dl>
      {isError ? (
        <InlineLoadError query={query} text="The figures could not be loaded." className="mt-5" />
      ) : null}
    </Card>
  )
}

/**
 * Returns the note below the tier: when the trial ends or, for the administrator, where to switch
 * tiers (spec §2).
 */
function tierNote({ isAdmin, premiumTrialEndsAt }: User): string | undefined {
  if (isAdmin) return 'switch it on the dashboard'
  if (premiumTrialEndsAt === null) return undefined
  const trialEndsAt = new Date(premiumTrialEndsAt)
  const now = serverNow()
  return trialEndsAt > now ? `trial until ${localDayText(trialEndsAt, now)}` : undefined
}

function Figure({
  name,
  note,
  children,
}: {
  name: string
  note?: string | undefined
  children: ReactNode
}) {
  return (
    <div>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="mt-0.5 font-semibold text-xl tabular-nums leading-snug">{children}</dd>
      {note ? <dd className="text-muted text-sm">{note}</dd> : null}
    </div>
  )
}
