import { defaultPartSize, maxPartCount } from '../files/part-plan.ts'
import { formatSizeLimit, parseSize } from '../format/file-size.ts'
import { groupDigits } from '../format/numbers.ts'
import { type Tier, tiers, tierTraits } from './tier.ts'
import { daysText, defaultLimits, type Limits, type TierLimits } from './tier-limits.ts'

/* Each limit of each tier is a setting and is stored as text. */

/** The setting's value if there is no limit on the number of files, or no storage cap. */
export const unlimited = 'unlimited'

/**
 * The lowest and highest value of each limit. Larger files would need larger parts, which work
 * poorly on slow connections.
 */
export const limitBounds = {
  files: { min: 1, max: 10_000 },
  fileSize: { min: 1024 ** 2, max: maxPartCount * defaultPartSize },
  days: { min: 1, max: 365, choices: 5 },
} as const

/** How a setting's text is converted to and from a limit. */
interface LimitDefinition<Field extends keyof TierLimits> {
  field: Field
  /** The limit's name, worded for use within a sentence. */
  label: string
  /** The allowed values, worded to follow 'must be'. */
  boundsText: string
  /** Returns null if the text is invalid. */
  parse: (text: string) => { value: TierLimits[Field] } | null
  format: (value: TierLimits[Field]) => string
}

function defineLimit<Field extends keyof TierLimits>(
  definition: LimitDefinition<Field>,
): LimitDefinition<Field> {
  return definition
}

const { files, fileSize, days } = limitBounds

const limitDefinitions = {
  max_files: defineLimit({
    field: 'maxFiles',
    label: 'number of files',
    boundsText: `a whole number from ${files.min} to ${groupDigits(files.max)}, or ${unlimited}`,
    parse: (text) => (text === unlimited ? { value: null } : parseWholeNumber(text, files)),
    format: (value) => (value === null ? unlimited : String(value)),
  }),
  max_file_size: defineLimit({
    field: 'maxFileSize',
    label: 'size of a file',
    boundsText: `from ${formatSizeLimit(fileSize.min)} to ${formatSizeLimit(fileSize.max)}: storage takes ${groupDigits(maxPartCount)} parts of ${formatSizeLimit(defaultPartSize)} at most`,
    parse: (text) => valueInRange(parseSize(text), fileSize),
    format: String,
  }),
  expiration_days: defineLimit({
    field: 'expirationDays',
    label: 'days to choose from',
    boundsText: `${days.choices} whole numbers at most, each from ${days.min} to ${days.max}, such as 3, 5, 7`,
    parse: parseDays,
    format: (value) => value.join(','),
  }),
  max_lifetime_days: defineLimit({
    field: 'maxLifetimeDays',
    label: 'maximum lifetime',
    boundsText: `a whole number of days from ${days.min} to ${days.max}`,
    parse: (text) => parseWholeNumber(text, days),
    format: String,
  }),
}

export type LimitName = keyof typeof limitDefinitions
export type LimitKey = `${Tier}_${LimitName}`

export const limitNames = Object.keys(limitDefinitions) as LimitName[]

interface LimitId {
  tier: Tier
  name: LimitName
}

/** Returns the setting key of a limit, such as `free_max_files`. */
export function limitKey(tier: Tier, name: LimitName): LimitKey {
  return `${tier}_${name}`
}

export const limitKeys = tiers.flatMap((tier) => limitNames.map((name) => limitKey(tier, name)))

/** Returns the allowed values of a limit, worded to follow 'must be'. */
export function limitBoundsText(name: LimitName): string {
  return limitDefinitions[name].boundsText
}

function formatLimit(name: LimitName, limits: TierLimits): string {
  // TypeScript can't infer that `format` and `field` belong to the same limit.
  const { field, format } = limitDefinitions[name] as LimitDefinition<keyof TierLimits>
  return format(limits[field])
}

function parseLimit(name: LimitName, text: string): Partial<TierLimits> | null {
  const { field, parse } = limitDefinitions[name] as LimitDefinition<keyof TierLimits>
  const parsed = parse(text)
  return parsed && { [field]: parsed.value }
}

export function formatLimitSettings(limits: Limits): Record<LimitKey, string> {
  const entries = tiers.flatMap((tier) =>
    limitNames.map((name) => [limitKey(tier, name), formatLimit(name, limits[tier])]),
  )
  return Object.fromEntries(entries)
}

/**
 * Parses the limit settings. Invalid values, which a newer version may have stored, fall back to
 * their defaults.
 */
export function parseLimitSettings(settings: Readonly<Record<LimitKey, string>>): Limits {
  const entries = tiers.map((tier): [Tier, TierLimits] => {
    const parsed = limitNames.map((name) => parseLimit(name, settings[limitKey(tier, name)]))
    return [tier, Object.assign({}, defaultLimits[tier], ...parsed)]
  })
  return Object.fromEntries(entries) as Record<Tier, TierLimits>
}

/**
 * Returns the tier and the limit that a setting key refers to.
 * @throws {RangeError} if the key isn't the key of a limit.
 */
export function parseLimitKey(key: LimitKey): LimitId {
  for (const tier of tiers) {
    const name = limitNames.find((limitName) => limitKey(tier, limitName) === key)
    if (name) return { tier, name }
  }
  throw new RangeError(`no limit has the setting ${key}`)
}

type LimitVerdict = { ok: true; value: string } | { ok: false; error: string }

/** Checks a value against its own bounds only. Returns the text to store, or an error message. */
export function checkLimitBounds({ tier, name }: LimitId, text: string): LimitVerdict {
  const parsedLimit = parseLimit(name, text.trim().toLowerCase())
  const { label, boundsText: bounds } = limitDefinitions[name]
  return parsedLimit
    ? { ok: true, value: formatLimit(name, { ...defaultLimits[tier], ...parsedLimit }) }
    : { ok: false, error: `The ${label} must be ${bounds}.` }
}

/**
 * Like `checkLimitBounds`, but also checks that the value doesn't conflict with the other limits.
 */
export function checkLimit({ tier, name }: LimitId, text: string, limits: Limits): LimitVerdict {
  const verdict = checkLimitBounds({ tier, name }, text)
  if (!verdict.ok) return verdict
  const changedLimits = { ...limits[tier], ...parseLimit(name, verdict.value) }
  const error = limitsError({ ...limits, [tier]: changedLimits })
  return error === null ? verdict : { ok: false, error }
}

/**
 * Returns an error message if limits contradict one another, otherwise null. Links must not outlive
 * files, and no tier may allow more than the next tier.
 */
export function limitsError(limits: Limits): string | null {
  const errors = [
    ...tiers.map((tier) => lifetimeError(tier, limits)),
    ...tiers.map((tier) => tierOrderError(tier, limits)),
  ]
  return errors.find((error) => error !== null) ?? null
}

function lifetimeError(tier: Tier, limits: Limits): string | null {
  const { maxLifetimeDays } = limits[tier]
  const longestDays = maxExpirationDays(limits[tier])
  if (longestDays <= maxLifetimeDays) return null
  const { name } = tierTraits[tier]
  return `${name} would offer ${daysText(longestDays)}, but keep files for ${daysText(maxLifetimeDays)} at most.`
}

function tierOrderError(tier: Tier, limits: Limits): string | null {
  const { name, upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  const excessText = describeExcess(limits[tier], limits[upgradesTo])
  if (excessText === null) return null
  return `${name} would allow more than ${tierTraits[upgradesTo].name}: ${excessText}. Change the other tier first.`
}

/** Describes the first limit in `current` that exceeds the next tier's. Null if none does. */
function describeExcess(current: TierLimits, upgraded: TierLimits): string | null {
  const maxFileCount = ({ maxFiles }: TierLimits) => maxFiles ?? Number.POSITIVE_INFINITY
  if (maxFileCount(current) > maxFileCount(upgraded)) return 'files'
  if (current.maxFileSize > upgraded.maxFileSize) return 'larger files'
  if (maxExpirationDays(current) > maxExpirationDays(upgraded)) return 'longer links'
  return current.maxLifetimeDays > upgraded.maxLifetimeDays ? 'a longer lifetime' : null
}

function maxExpirationDays({ expirationDays }: TierLimits): number {
  return Math.max(...expirationDays)
}

function valueInRange(
  value: number | null,
  { min, max }: { min: number; max: number },
): { value: number } | null {
  return value !== null && value >= min && value <= max ? { value } : null
}

function parseWholeNumber(text: string, bounds: { min: number; max: number }) {
  return valueInRange(/^\d{1,9}$/.test(text) ? Number(text) : null, bounds)
}

function parseDays(text: string): { value: number[] } | null {
  const numbers = text
    .split(/\s*,\s*|\s+/)
    .map((part) => parseWholeNumber(part, days)?.value ?? null)
  if (numbers.includes(null)) return null
  const value = [...new Set(numbers as number[])].sort((a, b) => a - b)
  return value.length <= days.choices ? { value } : null
}
