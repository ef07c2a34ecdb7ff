import { describe, expect, it } from 'vitest'
import { findUpgrade, type Tier, tiers, tierTraits } from './tier.ts'

describe('tierTraits', () => {
  it('give link renewal, File Manager, Analytics, branding and a badge only to premium', () => {
    const featureTraits = (isIncluded: boolean) => ({
      renewal: isIncluded,
      fileManager: isIncluded,
      analytics: isIncluded,
      branding: isIncluded,
      hasBadge: isIncluded,
    })
    expect(tierTraits).toMatchObject({ free: featureTraits(false), premium: featureTraits(true) })
  })

  it.each(tiers)('lead from %s to the highest tier through upgrades', (tier) => {
    const steps: Tier[] = []
    for (
      let current: Tier | null = tier;
      current !== null;
      current = tierTraits[current].upgradesTo
    ) {
      expect(steps).not.toContain(current)
      steps.push(current)
    }
    expect(findUpgrade(steps.at(-1) ?? tier)).toBeNull()
  })
})
