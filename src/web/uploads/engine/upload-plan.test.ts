import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Tier, tiers } from '../../../shared/rules/tiers/tier.ts'
import { defaultLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { planUploads } from './upload-plan.ts'

const megabyte = 1024 ** 2
function picked(name: string, size: number) {
  return { file: { name, size } }
}

describe('which files are uploaded', () => {
  test('500MB for free users and 1GB for premium, to the byte', () => {
    const files = [500 * megabyte, 500 * megabyte + 1, 1024 * megabyte, 1024 * megabyte + 1].map(
      (size) => picked(`${size}.bin`, size),
    )
    const sizes = (tier: Tier) =>
      planUploads(files, defaultLimits[tier]).go.map(({ file }) => file.size)
    expect(sizes('free')).toEqual([500 * megabyte])
    expect(sizes('premium')).toEqual([500 * megabyte, 500 * megabyte + 1, 1024 * megabyte])
  })

  test('every file either goes or is skipped, in its order', () => {
    const candidates = fc.array(
      fc.record({ file: fc.record({ name: fc.string(), size: fc.nat(2 * 1024 * megabyte) }) }),
    )
    fc.assert(
      fc.property(candidates, fc.constantFrom(...tiers), (all, tier) => {
        const { go, skipped } = planUploads(all, defaultLimits[tier])
        expect(go).toEqual(all.filter((one) => !skipped.includes(one)))
        expect(skipped).toEqual(all.filter((one) => !go.includes(one)))
        expect(go.length + skipped.length).toBe(all.length)
      }),
    )
  })
})
