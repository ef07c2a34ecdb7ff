import { describe, expect, it } from 'vitest'
import { readConfig } from '../config/config.ts'
import { StartupError } from '../errors.ts'
import type { SealedObjects } from '../storage/sealed-objects.ts'
import { claimFor, openObjects } from './open-objects.ts'

/**
 * Makes a fake store that contains these keys. `owner` is the id of the installation that the store
 * belongs to, or null. `claims` collects the ids that are written to the store as its new owner.
 */
function storeOf(owner: string | null, keys: readonly string[]) {
  const claims: string[] = []
  const store: Partial<SealedObjects> = {
    name: 'disk',
    installation: async () => owner,
    claim: async (installation) => void claims.push(installation),
    async *list() {
      for (const key of keys) yield { key, modifiedAt: new Date(0) }
    },
  }
  return { store: store as SealedObjects, claims }
}

describe('the target of a copy', () => {
  it.each([
    ['is claimed if it is empty', null, [], ['ours']],
    ['is left with its mark if it has our own', 'ours', ['a', 'b'], []],
    ['is left with its mark, though nothing was copied yet', 'ours', [], []],
  ])('%s', async (_, owner, keys, expected) => {
    const { store, claims } = storeOf(owner, keys)
    await claimFor('ours', store)
    expect(claims).toEqual(expected)
  })

  it.each([
    ['it has files and no mark', null, ['a']],
    ['it belongs to another installation', 'theirs', ['a']],
    ['it belongs to another installation, though it is empty', 'theirs', []],
  ])('is refused where %s', async (_, owner, keys) => {
    const { store, claims } = storeOf(owner, keys)
    const claiming = claimFor('ours', store)
    await expect(claiming).rejects.toThrow(StartupError)
    await expect(claiming).rejects.toThrow('has files of another installation')
    expect(claims).toEqual([])
  })
})

it('files in a bucket that no setting names cannot be opened, and the cure is told', async () => {
  const opening = openObjects('s3', readConfig({}), () => new Date())
  await expect(opening).rejects.toThrow(StartupError)
  await expect(opening).rejects.toThrow('settings that begin with S3_')
})
