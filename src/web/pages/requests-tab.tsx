import { newestFirst } from '../../shared/rules/files/file-order.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { FoundLinks } from '../files/found-links.tsx'
import { useLinks } from '../files/use-links.ts'
import { useNow } from '../files/use-now.ts'
import { RequestList } from '../requests/request-list.tsx'

/** The dashboard's tab for requests, with what each of them has received. */
export function RequestsTab({ tier }: { tier: Tier }) {
  return (
    <RequestList tier={tier} received={({ id }) => <ReceivedLinks requestId={id} tier={tier} />} />
  )
}

/** The links that a request has received, newest first. */
function ReceivedLinks({ requestId, tier }: { requestId: string; tier: Tier }) {
  const query = useLinks({ search: '', order: newestFirst, requestId })
  return (
    <FoundLinks
      label="Received"
      query={query}
      search=""
      total={undefined}
      tier={tier}
      now={useNow(query.links)}
      empty={<p className="text-muted text-sm">No deliveries.</p>}
      onClearSearch={() => undefined}
    />
  )
}
