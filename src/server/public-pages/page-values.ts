import { limitErrorText } from '../../shared/contract/tier-errors.ts'
import type { PublicPlaceholder } from '../../shared/placeholders.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { anyOf } from '../../shared/rules/format/lists.ts'
import { priceText } from '../../shared/rules/format/numbers.ts'
import { type SettingValues, settingDefaults } from '../../shared/rules/tiers/admin-settings.ts'
import { daysText, filesText } from '../../shared/rules/tiers/limit-text.ts'
import { defaultTier, tiers } from '../../shared/rules/tiers/tier.ts'
import {
  defaultLimits,
  type Limits,
  type TierLimits,
} from '../../shared/rules/tiers/tier-limits.ts'
import { trialDays } from '../../shared/rules/tiers/trial.ts'
import type { S3Settings } from '../config/s3-settings.ts'
import type { Deps } from '../deps.ts'
import { withTimeout } from '../timeout.ts'

/** What stands in each placeholder of a public page. */
export type PlaceholderValues = Record<PublicPlaceholder, string>

/**
 * How many milliseconds a public page waits for the settings. After that, it shows the settings
 * that were read last.
 */
const settingsWithinMs = 2000
/** After a failure to read the settings, no page tries again for this many milliseconds. */
const pauseMs = 10_000
/**
 * A failure to read the settings is logged at most once in this many milliseconds. Otherwise
 * anybody could fill the log by opening pages.
 */
const tellEveryMs = 60_000

/** The facts about this server from which the values of the placeholders are made. */
export interface PublicFacts {
  origin: string
  supportEmail: string
  privacyEmail: string
  version: string
  /** The price in dollars a month, as the setting stores it. */
  price: string
  limits: Limits
  /** The domains whose addresses may sign up, as text; empty if the settings name no domain. */
  signupDomains: string
  /** Where files are stored, as text; empty if they are kept on the disk. */
  storageHost: string
}

/**
 * Returns the function that reads the current values for the public pages. The function never
 * rejects: while the database cannot be reached, the pages show the settings that were read last,
 * and wait for new ones only once every 10 seconds.
 */
export function valueReader({
  clock,
  config,
  log,
  settings,
}: Pick<Deps, 'clock' | 'config' | 'log' | 'settings'>): () => Promise<PlaceholderValues> {
  const { appUrl, supportEmail, privacyEmail } = config
  let last: { values: SettingValues; limits: Limits } = {
    values: settingDefaults(supportEmail),
    limits: defaultLimits,
  }
  let failedAt: number | null = null
  let toldAt: number | null = null
  const refresh = async () => {
    try {
      last = await withTimeout(settings.current(), settingsWithinMs)
      failedAt = null
    } catch (error) {
      failedAt = clock().getTime()
      if (isWithin(tellEveryMs, toldAt, failedAt)) return
      toldAt = failedAt
      log.warn({ err: error }, 'A public page shows older settings: they could not be read')
    }
  }
  return async () => {
    if (!isWithin(pauseMs, failedAt, clock().getTime())) await refresh()
    return pageValues({
      origin: appUrl.origin,
      signupDomains: typeof config.signup === 'string' ? '' : anyOf(config.signup),
      storageHost: config.s3 ? hostOf(config.s3) : '',
      supportEmail,
      privacyEmail,
      version: last.values.app_version,
      price: last.values.premium_price,
      limits: last.limits,
    })
  }
}

/** Tells whether less than `ms` have passed since a moment. False if the clock was set back. */
function isWithin(ms: number, since: number | null, now: number): boolean {
  return since !== null && now >= since && now - since < ms
}

/** Returns the text of every placeholder of the public pages. */
export function pageValues({ limits, ...facts }: PublicFacts): PlaceholderValues {
  // The pages show two plans: the tier of new accounts, and the highest tier.
  const free = limits[defaultTier]
  const premium = limits[tiers.at(-1) ?? defaultTier]
  const longest = Math.max(free.maxLifetimeDays, premium.maxLifetimeDays)
  const freeLast = Math.max(...free.expirationDays)
  const premiumLast = Math.max(...premium.expirationDays)
  const inPercent = (days: number) =>
    String(Math.round((1000 * Math.min(days, longest)) / longest) / 10)
  return {
    ...facts,
    fault: '',
    TIER_FILE_COUNT: limitErrorText(defaultTier, 'TIER_FILE_COUNT', limits),
    TIER_FILE_SIZE: limitErrorText(defaultTier, 'TIER_FILE_SIZE', limits),
    TIER_EXPIRATION: limitErrorText(defaultTier, 'TIER_EXPIRATION', limits),
    price: priceText(facts.price),
    freeFiles: filesText(free.maxFiles),
    premiumFiles: filesText(premium.maxFiles),
    freeFilesFirst: capitalised(filesText(free.maxFiles)),
    premiumFilesFirst: capitalised(filesText(premium.maxFiles)),
    freeFilesAtOnce: atOnce(free),
    freeFilesAtOnceFirst: capitalised(atOnce(free)),
    freeFileSize: formatSizeLimit(free.maxFileSize),
    premiumFileSize: formatSizeLimit(premium.maxFileSize),
    freeDays: daysText(...free.expirationDays),
    premiumDays: daysText(...premium.expirationDays),
    maxLifetime: daysText(longest),
    maxLifetimeDays: String(longest),
    trial: daysText(trialDays),
    largestFileBytes: String(Math.max(free.maxFileSize, premium.maxFileSize)),
    freeEnd: inPercent(freeLast),
    premiumEnd: inPercent(premiumLast),
    premiumSpan: inPercent(Math.max(0, premiumLast - freeLast)),
    freeMark: freeLast === premiumLast ? '' : String(freeLast),
    premiumMark: daysText(premiumLast),
  }
}

/** Returns text such as '3 files at a time', or 'unlimited files'. */
function atOnce({ maxFiles }: TierLimits) {
  return maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at a time`
}

/**
 * Names the storage service by the host name that browsers connect to. If the settings name no
 * endpoint, the service is Amazon S3.
 */
function hostOf({ publicEndpoint, endpoint, region }: S3Settings): string {
  return (publicEndpoint ?? endpoint)?.host ?? `Amazon S3 (${region})`
}

function capitalised(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
