import { type Tier, tiers, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import { values } from '../values.tsx'

const planRows: readonly { label: string; valueFor: (tier: Tier) => string }[] = [
  { label: 'Files at a time', valueFor: (tier) => values[`${tier}FilesFirst`] },
  { label: 'Maximum file size', valueFor: (tier) => values[`${tier}FileSize`] },
  { label: 'How long a link works', valueFor: (tier) => values[`${tier}Days`] },
  { label: 'Renewal of links', valueFor: (tier) => yesOrNo(tierTraits[tier].renewal) },
  {
    label: 'Open requests for files',
    valueFor: (tier) => String(tierTraits[tier].maxOpenRequests ?? 'Any number'),
  },
  { label: 'Links sent by email', valueFor: (tier) => yesOrNo(tierTraits[tier].sendsLinks) },
  { label: 'File Manager', valueFor: (tier) => yesOrNo(tierTraits[tier].fileManager) },
  { label: 'Analytics', valueFor: (tier) => yesOrNo(tierTraits[tier].analytics) },
  { label: 'Custom branding', valueFor: (tier) => yesOrNo(tierTraits[tier].branding) },
  { label: 'Priority support', valueFor: (tier) => yesOrNo(tier === 'premium') },
  {
    label: 'Price',
    valueFor: (tier) => (tier === 'premium' ? `${values.price} per month` : 'Free'),
  },
]

function yesOrNo(value: boolean) {
  return value ? 'Yes' : 'No'
}

export function PlanTable() {
  return (
    <table className="plans">
      <thead>
        <tr>
          <td />
          {tiers.map((tier) => (
            <th key={tier} scope="col">
              {tierTraits[tier].name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {planRows.map(({ label, valueFor }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {tiers.map((tier) => (
              <td key={tier}>{valueFor(tier)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
