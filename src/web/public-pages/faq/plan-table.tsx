import type { ReactNode } from 'react'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { tiers } from '../../../shared/rules/tiers/tier.ts'
import { type TierTraits, tierTraits } from '../../../shared/rules/tiers/tier-traits.ts'

interface Row {
  what: string
  free: ReactNode
  premium: ReactNode
}

/** The rows about limits. The administrator can change the limits, so the server fills them in. */
const limits: readonly Row[] = [
  {
    what: 'Files at the same time',
    free: publicPlaceholder('freeFilesFirst'),
    premium: publicPlaceholder('premiumFilesFirst'),
  },
  {
    what: 'Size of each file, at most',
    free: publicPlaceholder('freeFileSize'),
    premium: publicPlaceholder('premiumFileSize'),
  },
  {
    what: 'How long a link works',
    free: publicPlaceholder('freeDays'),
    premium: publicPlaceholder('premiumDays'),
  },
]

const features = {
  renewal: 'Renewing links, expired ones too',
  fileManager: 'File Manager',
  analytics: 'Analytics',
  branding: 'Custom branding',
} satisfies Partial<Record<keyof TierTraits, string>>

function has(feature: keyof typeof features): Row {
  const answer = (isThere: boolean) => (isThere ? 'Yes' : 'No')
  const [free, premium] = tiers.map((tier) => answer(tierTraits[tier][feature]))
  return { what: features[feature], free, premium }
}

/** A table that compares what each tier allows. */
export function PlanTable() {
  const rows = [...limits, ...(Object.keys(features) as (keyof typeof features)[]).map(has)]
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
        {rows.map(({ what, free, premium }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{free}</td>
            <td>{premium}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">Priority support</th>
          <td>No</td>
          <td>Yes</td>
        </tr>
        <tr>
          <th scope="row">Price</th>
          <td>Nothing</td>
          <td>{publicPlaceholder('price')} per month</td>
        </tr>
      </tbody>
    </table>
  )
}
