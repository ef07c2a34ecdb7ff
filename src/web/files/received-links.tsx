import { newestFirst } from '../../shared/rules/files/file-order.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { FoundLinks } from './found-links.tsx'
import { useLinks } from './use-links.ts'
import { useNow } from './use-now.ts'

/** The links that a request has received, newest first. */
export function ReceivedLinks({ requestId, tier }: { requestId: string; tier: Tier }) {
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
