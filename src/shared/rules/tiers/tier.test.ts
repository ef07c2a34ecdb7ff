import { describe, expect, it } from 'vitest'
import { type Tier, tiers, tierTraits, upgradeOf } from './tier.ts'

describe('tierTraits', () => {
  it('give link renewal, File Manager, Analytics, branding and a badge to premium only', () => {
    const only = (may: boolean) => ({
      renewal: may,
      fileManager: may,
      analytics: may,
      branding: may,
      hasBadge: may,
    })
    expect(tierTraits).toMatchObject({ free: only(false), premium: only(true) })
  })

  it.each(tiers)('let upgrades from %s end at the highest tier', (tier) => {
    const steps: Tier[] = []
    for (let at: Tier | null = tier; at !== null; at = tierTraits[at].upgradesTo) {
      expect(steps).not.toContain(at)
      steps.push(at)
    }
    expect(upgradeOf(steps.at(-1) ?? tier)).toBeNull()
  })
})
