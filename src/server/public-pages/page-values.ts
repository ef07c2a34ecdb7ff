import type { PublicSlot } from '../../shared/public-slots.ts'
import { settingDefaults } from '../../shared/rules/admin-settings.ts'
import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import { maxLifetimeDays } from '../../shared/rules/lifetime.ts'
import { daysText, filesText } from '../../shared/rules/limit-text.ts'
import { defaultTier, type Tier, tiers } from '../../shared/rules/tier.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'
import { trialDays } from '../../shared/rules/trial.ts'
import type { Deps } from '../deps.ts'
import { inTime } from '../http/in-time.ts'

type Values = Record<PublicSlot, string>

/**
 * How long a public page waits for the settings, in milliseconds. After that it shows the last ones
 * that were read.
 */
const settingsWithinMs = 2000

/** The limits of a tier that the public pages name. */
interface NamedLimits {
  maxFiles: number | null
  /** In bytes. */
  maxFileSize: number
  /** In ascending order. */
  expirationDays: readonly number[]
  maxLifetimeDays: number
}

/** What the public pages say of this server, besides what the build knows. */
export interface PublicFacts {
  origin: string
  supportEmail: string
  privacyEmail: string
  version: string
  /** In dollars a month, as it is stored. */
  price: string
  limits: Readonly<Record<Tier, NamedLimits>>
}

/**
 * Returns the function that reads what the public pages say of this server now. It never rejects:
 * while the database is away, the pages show the last settings that were read.
 */
export function valueReader({
  config,
  log,
  settings,
}: Pick<Deps, 'config' | 'log' | 'settings'>): () => Promise<Values> {
  const { appUrl, supportEmail, privacyEmail } = config
  let last: Awaited<ReturnType<typeof settings.read>> = settingDefaults(supportEmail)
  return async () => {
    try {
      last = await inTime(settings.read(), settingsWithinMs)
    } catch (error) {
      log.warn({ err: error }, 'A public page shows older settings: they could not be read')
    }
    return pageValues({
      origin: appUrl.origin,
      supportEmail,
      privacyEmail,
      version: last.app_version,
      price: last.premium_price,
      limits: limitsInForce(),
    })
  }
}

/** The one place where the public pages get the limits. */
function limitsInForce(): PublicFacts['limits'] {
  const of = (tier: Tier) => ({ ...tierLimits[tier], maxLifetimeDays })
  return Object.fromEntries(tiers.map((tier) => [tier, of(tier)])) as PublicFacts['limits']
}

/**
 * Returns the text of every slot of the public pages. The two plans are the tier of new accounts and
 * the highest tier.
 */
export function pageValues({ limits, ...facts }: PublicFacts): Values {
  const free = limits[defaultTier]
  const premium = limits[tiers.at(-1) ?? defaultTier]
  const longest = Math.max(free.maxLifetimeDays, premium.maxLifetimeDays)
  const freeLast = Math.max(...free.expirationDays)
  const premiumLast = Math.max(...premium.expirationDays)
  const inPercent = (days: number) => String(Math.round((1000 * Math.min(days, longest)) / longest) / 10)
  return {
    ...facts,
    price: dollars(facts.price),
    freeFiles: filesText(free.maxFiles),
    premiumFiles: filesText(premium.maxFiles),
    freeFilesFirst: capitalised(filesText(free.maxFiles)),
    premiumFilesFirst: capitalised(filesText(premium.maxFiles)),
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
    freeMark: freeLast === premiumLast ? '' : String(freeLast),
    premiumMark: daysText(premiumLast),
  }
}

/** Writes a price with its cents, or without any: '8', '7.50'. */
function dollars(price: string) {
  return Number.isInteger(Number(price)) ? price : Number(price).toFixed(2)
}

function capitalised(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
