import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planUploads, skippedToast } from './upload-plan.ts'

const megabyte = 1024 ** 2
const file = (name: string, size: number) => ({ name, size })

describe('which files are uploaded', () => {
  test('500MB for free users and 1GB for premium, to the byte', () => {
    const files = [500 * megabyte, 500 * megabyte + 1, 1024 * megabyte, 1024 * megabyte + 1].map(
      (size) => file(`${size}.bin`, size),
    )
    const sizes = (tier: 'free' | 'premium') => planUploads(files, tier).go.map(({ size }) => size)
    expect(sizes('free')).toEqual([500 * megabyte])
    expect(sizes('premium')).toEqual([500 * megabyte, 500 * megabyte + 1, 1024 * megabyte])
  })

  test('every file either goes or is skipped with a reason, in its order', () => {
    const candidates = fc.array(fc.record({ name: fc.string(), size: fc.nat(2 * 1024 * megabyte) }))
    fc.assert(
      fc.property(candidates, fc.constantFrom('free' as const, 'premium' as const), (all, tier) => {
        const { go, skipped } = planUploads(all, tier)
        const out = new Set(skipped.map(({ file }) => file))
        expect(go).toEqual(all.filter((one) => !out.has(one)))
        expect(go.length + skipped.length).toBe(all.length)
        for (const { reason } of skipped) expect(reason).toMatch(/^Too large: .+ the limit is /)
      }),
    )
  })
})

describe('what is said about skipped files', () => {
  test('nothing when none was skipped', () => {
    expect(skippedToast([], 'free')).toBeNull()
  })

  test('a free user reads the words of the spec', () => {
    const { skipped } = planUploads([file('a.mov', 600 * megabyte)], 'free')
    expect(skippedToast(skipped, 'free')).toEqual({
      title: 'File upload failed - upgrade to Premium for 1GB files and unlimited uploads',
    })
  })

  test('a premium user reads name, size and limit, and how many more there are', () => {
    const large = [file('a.mov', 1536 * megabyte), file('b.mov', 2048 * megabyte)]
    const { skipped } = planUploads(large, 'premium')
    expect(skippedToast(skipped, 'premium')).toEqual({
      title: 'File too large',
      description: 'a.mov: 1.5 GB, the limit is 1 GB. And 1 more.',
    })
  })
})
