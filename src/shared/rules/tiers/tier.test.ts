import { describe, expect, it } from 'vitest'
import { type Tier, tiers, tierTraits, upgradeOf } from './tier.ts'

describe('tierTraits', () => {
  it('only premium renews links, and has File Manager, Analytics, branding and a badge', () => {
    const only = (may: boolean) => ({
      renewal: may,
      fileManager: may,
      analytics: may,
      branding: may,
      hasBadge: may,
    })
    expect(tierTraits).toMatchObject({ free: only(false), premium: only(true) })
  })

  it.each(tiers)('an upgrade of %s leads to the highest tier in the end', (tier) => {
    const steps: Tier[] = []
    for (let at: Tier | null = tier; at !== null; at = tierTraits[at].upgradesTo) {
      expect(steps).not.toContain(at)
      steps.push(at)
    }
    expect(upgradeOf(steps.at(-1) ?? tier)).toBeNull()
  })
})
