import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { ReceivedLinks } from '../files/received-links.tsx'
import { RequestList } from '../requests/request-list.tsx'

/** The dashboard's tab for requests, with what each of them has received. */
export function RequestsTab({ tier }: { tier: Tier }) {
  return (
    <RequestList tier={tier} received={({ id }) => <ReceivedLinks requestId={id} tier={tier} />} />
  )
}
