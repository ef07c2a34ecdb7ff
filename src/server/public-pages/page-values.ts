import { limitErrorText } from '../../shared/contract/tier-errors.ts'
import type { PublicPlaceholder, ServerCondition } from '../../shared/placeholders.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { joinWithOr, priceText } from '../../shared/rules/format/numbers.ts'
import { type SettingValues, settingDefaults } from '../../shared/rules/tiers/admin-settings.ts'
import { defaultTier, tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import {
  daysText,
  defaultLimits,
  filesText,
  type Limits,
  limitsText,
  type TierLimits,
} from '../../shared/rules/tiers/tier-limits.ts'
import { trialDays } from '../../shared/rules/tiers/trial.ts'
import type { Config } from '../config/config.ts'
import type { S3Settings } from '../config/s3-settings.ts'
import type { Deps } from '../deps.ts'
import { hasMailServer } from '../email/create-mailer.ts'
import { storeOfNewFiles } from '../storage/stores.ts'
import { withTimeout } from '../timeout.ts'

export type PlaceholderValues = Record<PublicPlaceholder, string>

const settingsTimeoutMs = 2000

export interface PublicPageInput {
  origin: string
  supportEmail: string
  privacyEmail: string
  version: string
  /** The price of Premium, in dollars per month. */
  price: string
  limits: Limits
  /** Who can create requests, and whether Premium can send links by email. */
  features: Pick<SettingValues, 'requests' | 'send_by_email'>
  /**
   * The email domains that can sign up, formatted for display. Empty unless signup is limited to
   * domains.
   */
  signupDomains: string
  /** The host of the object storage. Empty if files are on the server's disk. */
  storageHost: string
}

/**
 * Returns a function that reads the current values for the public pages. It never rejects: while
 * the database is down, it uses the last known settings.
 */
export function createValueReader({
  config,
  log,
  settings,
}: Pick<Deps, 'config' | 'log' | 'settings'>): () => Promise<PlaceholderValues> {
  const { appUrl, supportEmail, privacyEmail } = config
  let lastSettings: { values: SettingValues; limits: Limits } = {
    values: settingDefaults(supportEmail),
    limits: defaultLimits,
  }
  let isStale = false
  return async () => {
    try {
      lastSettings = await withTimeout(settings.current(), settingsTimeoutMs)
      isStale = false
    } catch (error) {
      // Logged once per outage. Otherwise anyone could fill the log by opening pages.
      if (!isStale)
        log.warn({ err: error }, 'could not load the settings; public pages show the last ones')
      isStale = true
    }
    return pageValues({
      origin: appUrl.origin,
      signupDomains: typeof config.signup === 'string' ? '' : joinWithOr(config.signup),
      storageHost: config.s3 ? getStorageHost(config.s3) : '',
      supportEmail,
      privacyEmail,
      version: lastSettings.values.app_version,
      price: lastSettings.values.premium_price,
      features: lastSettings.values,
      limits: lastSettings.limits,
    })
  }
}

/** Returns the text of every placeholder on the public pages. */
export function pageValues({ limits, features, ...input }: PublicPageInput): PlaceholderValues {
  const freeLimits = limits[defaultTier]
  const premiumLimits = limits[tiers.at(-1) ?? defaultTier]
  const maxLifetimeDays = Math.max(freeLimits.maxLifetimeDays, premiumLimits.maxLifetimeDays)
  return {
    ...input,
    error: '',
    TIER_FILE_COUNT: limitErrorText(defaultTier, 'TIER_FILE_COUNT', limits),
    TIER_FILE_SIZE: limitErrorText(defaultTier, 'TIER_FILE_SIZE', limits),
    TIER_EXPIRATION: limitErrorText(defaultTier, 'TIER_EXPIRATION', limits),
    price: priceText(input.price),
    featuresNote: featuresNote(features),
    freeFiles: filesText(freeLimits.maxFiles),
    premiumFiles: filesText(premiumLimits.maxFiles),
    freeFilesFirst: capitalize(filesText(freeLimits.maxFiles)),
    premiumFilesFirst: capitalize(filesText(premiumLimits.maxFiles)),
    freeFilesAtOnce: maxFilesText(freeLimits),
    freeFilesAtOnceFirst: capitalize(maxFilesText(freeLimits)),
    freeFileSize: formatSizeLimit(freeLimits.maxFileSize),
    premiumFileSize: formatSizeLimit(premiumLimits.maxFileSize),
    premiumLimits: limitsText(premiumLimits),
    freeDays: daysText(...freeLimits.expirationDays),
    premiumDays: daysText(...premiumLimits.expirationDays),
    maxLifetime: daysText(maxLifetimeDays),
    maxLifetimeDays: String(maxLifetimeDays),
    trial: daysText(trialDays),
    largestFileBytes: String(Math.max(freeLimits.maxFileSize, premiumLimits.maxFileSize)),
  }
}

function featuresNote({ requests, send_by_email: sendByEmail }: PublicPageInput['features']) {
  const receive =
    'you can also receive files: create a request, and people without an account send them to you.'
  const withPremium = `With ${tierTraits.premium.name},`
  return [
    ...(requests === 'on' ? [capitalize(receive)] : []),
    ...(requests === 'premium' ? [`${withPremium} ${receive}`] : []),
    ...(sendByEmail === 'on' ? [`${withPremium} you can send links by email, in your brand.`] : []),
  ].join(' ')
}

/** Returns a text such as '3 files at a time' or 'unlimited files'. */
function maxFilesText({ maxFiles }: TierLimits) {
  return maxFiles === null ? filesText(null) : `${filesText(maxFiles)} at a time`
}

/** Returns the storage host to which browsers connect. Without an endpoint, that is Amazon S3. */
function getStorageHost({ publicEndpoint, endpoint, region }: S3Settings): string {
  return (publicEndpoint ?? endpoint)?.host ?? `Amazon S3 (${region})`
}

function capitalize(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns which of the public pages' conditions are true for this configuration. */
export function getConditions(
  config: Pick<
    Config,
    | 'appUrl'
    | 's3'
    | 'smtpUrl'
    | 'supportReceivesEmail'
    | 'privacyReceivesEmail'
    | 'signup'
    | 'google'
    | 'requireEmailVerification'
  >,
): ServerCondition[] {
  const { appUrl, signup, google, requireEmailVerification } = config
  return [
    appUrl.protocol === 'https:' ? 'https' : 'http',
    storeOfNewFiles(config),
    hasMailServer(config) ? 'smtp' : 'outbox',
    config.supportReceivesEmail ? 'supportMail' : 'supportForm',
    config.privacyReceivesEmail ? 'privacyMail' : 'privacyForm',
    signup === 'open' ? 'signupOpen' : signup === 'closed' ? 'signupClosed' : 'signupDomains',
    ...(google ? (['google'] as const) : []),
    ...(requireEmailVerification ? (['verification'] as const) : []),
  ]
}
