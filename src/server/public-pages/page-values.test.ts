import { describe, expect, it } from 'vitest'
import { settingDefaults } from '../../shared/rules/tiers/admin-settings.ts'
import { createValueReader, type PublicPageInput, pageValues } from './page-values.ts'

const megabyte = 1024 ** 2

const freeLimits = {
  maxFiles: 3,
  maxFileSize: 500 * megabyte,
  expirationDays: [3],
  maxLifetimeDays: 30,
}
const premiumLimits = {
  maxFiles: null,
  maxFileSize: 1024 * megabyte,
  expirationDays: [3, 5, 7],
  maxLifetimeDays: 30,
}
const input: PublicPageInput = {
  origin: 'https://files.example.org',
  supportEmail: 'support@example.org',
  privacyEmail: 'privacy@example.org',
  version: 'v0.9.10',
  price: '8',
  limits: { free: freeLimits, premium: premiumLimits },
  features: { requests: 'on', send_by_email: 'on' },
  signupDomains: '',
  storageHost: '',
}

describe('the values on the public pages', () => {
  it('match spec §9, including its limits', () => {
    expect(pageValues(input)).toEqual({
      origin: 'https://files.example.org',
      supportEmail: 'support@example.org',
      privacyEmail: 'privacy@example.org',
      version: 'v0.9.10',
      price: '$8',
      freeFiles: '3 files',
      freeFilesFirst: '3 files',
      freeFilesAtOnce: '3 files at a time',
      freeFilesAtOnceFirst: '3 files at a time',
      premiumFiles: 'unlimited files',
      premiumLimits: 'unlimited files, 1GB each, for 3, 5 or 7 days',
      premiumFilesFirst: 'Unlimited files',
      freeFileSize: '500MB',
      premiumFileSize: '1GB',
      freeDays: '3 days',
      premiumDays: '3, 5 or 7 days',
      maxLifetime: '30 days',
      maxLifetimeDays: '30',
      trial: '30 days',
      largestFileBytes: '1073741824',
      featuresNote:
        'You can also receive files: create a request, and people without an account send them to you. With Premium, you can send links by email, in your brand.',
      signupDomains: '',
      storageHost: '',
      error: '',
      TIER_FILE_COUNT:
        'The free tier holds 3 files at most: delete files to make room. Upgrade to Premium for unlimited uploads.',
      TIER_FILE_SIZE:
        'The free tier takes files up to 500MB. Upgrade to Premium for files up to 1GB.',
      TIER_EXPIRATION:
        'The free tier keeps files for 3 days. Upgrade to Premium for 3, 5 or 7 days.',
    })
  })

  it('say who can receive files and send links', () => {
    const note = (features: PublicPageInput['features']) =>
      pageValues({ ...input, features }).featuresNote
    expect(note({ requests: 'premium', send_by_email: 'off' })).toMatch(
      /^With Premium, you can also/,
    )
    expect(note({ requests: 'off', send_by_email: 'on' })).toMatch(/^With Premium, you can send/)
    expect(note({ requests: 'off', send_by_email: 'off' })).toBe('')
  })

  it('reflect changed limits', () => {
    const limits = {
      free: { ...freeLimits, maxFiles: 1, maxFileSize: 2 * megabyte, expirationDays: [1] },
      premium: { ...premiumLimits, maxFiles: 50, expirationDays: [1], maxLifetimeDays: 90 },
    }
    expect(pageValues({ ...input, limits })).toMatchObject({
      freeFiles: '1 file',
      premiumFilesFirst: '50 files',
      freeFileSize: '2MB',
      freeDays: '1 day',
      premiumDays: '1 day',
      maxLifetime: '90 days',
      maxLifetimeDays: '90',
    })
  })

  it.each([
    ['8', '$8'],
    ['7.5', '$7.50'],
  ])('format the price %s as %s', (price, expectedText) => {
    expect(pageValues({ ...input, price }).price).toBe(expectedText)
  })
})

describe('the settings on the public pages', () => {
  const config = {
    appUrl: new URL('https://files.example.org'),
    supportEmail: 'support@example.org',
    privacyEmail: 'privacy@example.org',
    signup: 'open',
    s3: null,
  }
  type CurrentSettings = Awaited<ReturnType<TestedDeps['settings']['current']>>
  type TestedDeps = Parameters<typeof createValueReader>[0]

  /** Creates a value reader whose reads return these settings one after another, and then fail. */
  const makeReader = (queuedSettings: Partial<CurrentSettings>[] = []) => {
    const warnings: unknown[] = []
    const settings = {
      async current() {
        const nextSettings = queuedSettings.shift()
        if (!nextSettings) throw new Error('The database is down.')
        return nextSettings
      },
    }
    const log = { warn: (...args: unknown[]) => warnings.push(args) }
    const values = createValueReader({ config, settings, log } as unknown as TestedDeps)
    return { values, warnings }
  }

  it('are the last known ones while the database is down', async () => {
    const changedValues = { ...settingDefaults('support@example.org'), app_version: 'v2' }
    const limits = { ...input.limits, free: { ...freeLimits, maxFiles: 9 } }
    const { values, warnings } = makeReader([{ values: changedValues, limits }])
    expect(await values()).toMatchObject({ version: 'v2', freeFiles: '9 files' })
    expect(warnings).toEqual([])
    for (let page = 0; page < 3; page += 1) {
      expect(await values()).toMatchObject({ version: 'v2', freeFiles: '9 files' })
    }
    // The outage is logged once.
    expect(warnings).toHaveLength(1)
  })

  it('are current again as soon as the database is back', async () => {
    const changedValues = { ...settingDefaults('support@example.org'), app_version: 'v2' }
    const queuedSettings = [] as Partial<CurrentSettings>[]
    const { values } = makeReader(queuedSettings)
    expect(await values()).toMatchObject({ version: 'v0.9.10' })
    queuedSettings.push({ values: changedValues, limits: input.limits })
    expect(await values()).toMatchObject({ version: 'v2' })
  })

  it('are the defaults if none were ever read', async () => {
    expect(await makeReader().values()).toMatchObject({ version: 'v0.9.10', freeFiles: '3 files' })
  })
})
