import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { anyLimits } from '../../../../tests/support/any-limits.ts'
import { insertFilesQuery } from '../../../../tests/support/many-files.ts'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../../tests/support/open-fresh-database.ts'
import { tiers } from '../../../shared/rules/tiers/tier.ts'
import { defaultLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { links, settings, uploads, users } from '../../db/schema.ts'
import { newShortCode } from '../../links/queries.ts'
import { AdminSettings } from '../../settings/admin-settings.ts'
import { newStorageKey } from '../../storage/storage-key.ts'
import { checkStorageCap, storageCapFinding } from './storage-cap.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte

const smallLimits = {
  free: { ...defaultLimits.free, maxFileSize: megabyte },
  premium: { ...defaultLimits.premium, maxFileSize: 2 * megabyte },
}

describe('a cap of 4 MB, with files of 1 MB in Free and 2 MB in Premium', () => {
  const availableBytes = 2 * megabyte

  it.each([
    [
      'nothing is stored',
      0,
      availableBytes,
      'ok',
      /^0 Bytes of 4MB are used \(0 %\), .* under way\.$/,
    ],
    [
      'less than 80 % is used',
      3.2 * megabyte - 1,
      availableBytes,
      'ok',
      /^3\.2 MB of 4MB are used \(79 %\)/,
    ],
    [
      '80 % is used',
      3.25 * megabyte,
      availableBytes,
      'warning',
      /\(81 %\).* An upload larger than the 768 KB that are left is refused\.$/,
    ],
    [
      'less space is left than Premium allows',
      2 * megabyte,
      availableBytes - 1,
      'warning',
      /: a file larger than 1\.9 MB is refused now, though Premium allows 2MB\.$/,
    ],
    [
      'less space is left than Free allows',
      3.9 * megabyte,
      megabyte - 1,
      'failing',
      /: a file larger than 1023.9 KB is refused now, though Free allows 1MB and Premium allows 2MB\.$/,
    ],
    [
      'the cap is reached',
      4 * megabyte,
      availableBytes,
      'failing',
      /\(100 %\).* New uploads are refused\.$/,
    ],
    [
      'the cap was lowered below the stored bytes',
      6 * megabyte,
      0,
      'failing',
      /\(150 %\).* New uploads are refused\.$/,
    ],
  ])('%s', (_, storedBytes, available, status, message) => {
    const usage = {
      stored: storedBytes,
      uploads: 0,
      availableBytes: available,
      maxStored: 4 * megabyte,
    }
    expect(storageCapFinding(usage, smallLimits)).toEqual({
      status,
      message: expect.stringMatching(message),
      cure: status === 'ok' ? '' : expect.stringContaining('storage_cap'),
    })
  })
})

describe('a cap smaller than the largest allowed file', () => {
  const makeFinding = (storedBytes: number) =>
    storageCapFinding(
      { stored: storedBytes, uploads: 220 * kilobyte, availableBytes: 0, maxStored: megabyte },
      defaultLimits,
    )

  it('shows a warning with the tier limits below 80%', () => {
    expect(makeFinding(819 * kilobyte)).toEqual({
      status: 'warning',
      message: expect.stringContaining(
        'A file may have 500MB in Free and 1GB in Premium, but files above the storage limit of 1MB are always refused.',
      ),
      cure: expect.stringMatching(/^Raise the cap, or lower the size of a file/),
    })
  })

  it('shows a warning with the remaining space from 80% on', () => {
    expect(makeFinding(820 * kilobyte)).toMatchObject({
      status: 'warning',
      message:
        '820 KB of 1MB are used (80 %), 220 KB of them by uploads under way. An upload larger than the 204 KB that are left is refused.',
      cure: expect.stringContaining('storage_cap'),
    })
  })
})

it('is ok if and only if every allowed file fits and less than 80% is used', () => {
  const sizes = fc.integer({ min: 0, max: 4000 }).map((tenths) => (tenths * megabyte) / 10)
  const caps = fc.integer({ min: 1, max: 4000 }).map((megabytes) => megabytes * megabyte)
  const limits = anyLimits.map(({ free, premium }) => ({
    free: { ...free, maxFileSize: (free.maxFileSize % 300) * megabyte },
    premium: { ...premium, maxFileSize: (premium.maxFileSize % 300) * megabyte },
  }))
  fc.assert(
    fc.property(
      sizes,
      sizes,
      caps,
      limits,
      (storedBytes, availableBytes, maxStored, tierLimits) => {
        const { status, cure } = storageCapFinding(
          { stored: storedBytes, uploads: 0, availableBytes, maxStored },
          tierLimits,
        )
        const allFilesFit = tiers.every(
          (tier) => tierLimits[tier].maxFileSize <= Math.min(availableBytes, maxStored),
        )
        expect(status === 'ok').toBe(allFilesFit && storedBytes < 0.8 * maxStored)
        expect(cure === '').toBe(status === 'ok')
      },
    ),
  )
})

describe('the total compared with the cap', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  let server: FreshDatabase
  beforeAll(async () => {
    server = await openFreshDatabase()
    const person = { id: 'ada', name: 'Ada', email: 'ada@example.org' }
    await server.db.insert(users).values({ ...person, createdAt: now, updatedAt: now })
    // Adds three files with a total of 6,000 bytes.
    await server.pool.query(insertFilesQuery('ada', 3, now))
  })
  afterEach(async () => {
    await server.db.delete(uploads)
    await server.db.delete(settings)
  })
  afterAll(() => server.close())

  const setSettings = async (values: Record<string, string>) => {
    const rows = Object.entries(values).map(([key, value]) => ({ key, value, updatedAt: now }))
    await server.db.insert(settings).values(rows)
  }

  const linkColumns = {
    ownerId: 'ada',
    expirationDays: 3,
    maxLifetimeDays: 30,
    createdAt: now,
    expiresAt: now,
    maxLifetimeAt: now,
    fileCount: 1,
    pendingCount: 1,
    firstName: 'a.txt',
  }
  const insertUpload = async (size: number) => {
    const [link] = await server.db
      .insert(links)
      .values({ ...linkColumns, shortCode: newShortCode(), totalSize: size })
      .returning()
    await server.db.insert(uploads).values({
      ownerId: 'ada',
      linkId: link?.id ?? '',
      position: 0,
      storage: 'disk',
      storageKey: newStorageKey(),
      originalName: 'a.txt',
      mimeType: 'text/plain',
      size,
      createdAt: now,
      lastActivityAt: now,
    })
  }

  const runCheck = () => {
    const { db } = server
    const clock = () => now
    const options = { supportEmail: 'help@example.org', onCap() {} }
    return checkStorageCap({ db, settings: new AdminSettings({ db, clock, ...options }) })
  }

  it('includes files and open uploads', async () => {
    await insertUpload(1000)
    expect(await runCheck()).toEqual([
      { status: 'ok', message: '6.8 KB are stored. There is no cap.', cure: '' },
    ])
    await setSettings({ storage_cap: String(megabyte) })
    expect((await runCheck())[0]?.message).toMatch(
      /^6\.8 KB of 1MB are used \(0 %\), 1000 Bytes of them by uploads under way\. /,
    )
  })

  it('is failing if open uploads leave too little space', async () => {
    await setSettings({
      storage_cap: String(4 * megabyte),
      free_max_file_size: String(megabyte),
      premium_max_file_size: String(2 * megabyte),
    })
    await insertUpload(3 * megabyte)
    expect(await runCheck()).toMatchObject([
      { status: 'failing', message: expect.stringContaining('though Free allows 1MB and Premium') },
    ])
  })
})
