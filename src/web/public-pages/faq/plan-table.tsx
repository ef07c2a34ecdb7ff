import { type Tier, tiers, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import { values } from '../values.tsx'

const rows: readonly { what: string; of: (tier: Tier) => string }[] = [
  { what: 'Files at a time', of: (tier) => values[`${tier}FilesFirst`] },
  { what: 'Maximum file size', of: (tier) => values[`${tier}FileSize`] },
  { what: 'How long a link works', of: (tier) => values[`${tier}Days`] },
  { what: 'Renewal of links', of: (tier) => yesOrNo(tierTraits[tier].renewal) },
  { what: 'File Manager', of: (tier) => yesOrNo(tierTraits[tier].fileManager) },
  { what: 'Analytics', of: (tier) => yesOrNo(tierTraits[tier].analytics) },
  { what: 'Custom branding', of: (tier) => yesOrNo(tierTraits[tier].branding) },
  { what: 'Priority support', of: (tier) => yesOrNo(tier === 'premium') },
  { what: 'Price', of: (tier) => (tier === 'premium' ? `${values.price} per month` : 'Free') },
]

function yesOrNo(value: boolean) {
  return value ? 'Yes' : 'No'
}

/** Compares the plans. */
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
        {rows.map(({ what, of }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            {tiers.map((tier) => (
              <td key={tier}>{of(tier)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
