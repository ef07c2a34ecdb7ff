import { maxPartCount, usualPartSize } from '../files/part-plan.ts'
import { formatSizeLimit, parseSize } from '../format/file-size.ts'
import { groupedDigits } from '../format/numbers.ts'
import { type Tier, tiers, tierTraits } from './tier.ts'
import { daysText, defaultLimits, type Limits, type TierLimits } from './tier-limits.ts'

/* Each limit of each tier is a setting, stored as text. */

/** The text for no limit on the number of files, or no storage cap. */
export const unlimited = 'unlimited'

/**
 * Bounds of the limits. Larger files would need larger parts, which are bad on slow connections.
 */
export const limitBounds = {
  files: { least: 1, most: 10_000 },
  fileSize: { least: 1024 ** 2, most: maxPartCount * usualPartSize },
  days: { least: 1, most: 365, choices: 5 },
} as const

/** How a limit is stored as a setting. */
interface LimitKind<Field extends keyof TierLimits> {
  field: Field
  /** The name of the limit in a sentence. */
  label: string
  /** The allowed values. Follows 'must be'. */
  bounds: string
  /** Returns null for an invalid value. */
  read: (text: string) => { value: TierLimits[Field] } | null
  write: (value: TierLimits[Field]) => string
}

function limitKind<Field extends keyof TierLimits>(kind: LimitKind<Field>): LimitKind<Field> {
  return kind
}

const { files, fileSize, days } = limitBounds

const limitKinds = {
  max_files: limitKind({
    field: 'maxFiles',
    label: 'number of files',
    bounds: `a whole number from ${files.least} to ${groupedDigits(files.most)}, or ${unlimited}`,
    read: (text) => (text === unlimited ? { value: null } : readWhole(text, files)),
    write: (value) => (value === null ? unlimited : String(value)),
  }),
  max_file_size: limitKind({
    field: 'maxFileSize',
    label: 'size of a file',
    bounds: `from ${formatSizeLimit(fileSize.least)} to ${formatSizeLimit(fileSize.most)}: storage takes ${groupedDigits(maxPartCount)} parts of ${formatSizeLimit(usualPartSize)} at most`,
    read: (text) => within(parseSize(text), fileSize),
    write: String,
  }),
  expiration_days: limitKind({
    field: 'expirationDays',
    label: 'days to choose from',
    bounds: `${days.choices} whole numbers at most, each from ${days.least} to ${days.most}, such as 3, 5, 7`,
    read: readDays,
    write: (value) => value.join(','),
  }),
  max_lifetime_days: limitKind({
    field: 'maxLifetimeDays',
    label: 'maximum lifetime',
    bounds: `a whole number of days from ${days.least} to ${days.most}`,
    read: (text) => readWhole(text, days),
    write: String,
  }),
}

export type LimitName = keyof typeof limitKinds
export type LimitKey = `${Tier}_${LimitName}`

export const limitNames = Object.keys(limitKinds) as LimitName[]

interface OfTier {
  tier: Tier
  name: LimitName
}

/** Returns the key of a limit's setting, such as `free_max_files`. */
export function limitKey(tier: Tier, name: LimitName): LimitKey {
  return `${tier}_${name}`
}

export const limitKeys = tiers.flatMap((tier) => limitNames.map((name) => limitKey(tier, name)))

/** Describes the allowed values of a limit. Follows 'must be'. */
export function limitBoundsText(name: LimitName): string {
  return limitKinds[name].bounds
}

function writeLimit(name: LimitName, limits: TierLimits): string {
  // TypeScript can't see that `write` and `field` belong to the same limit.
  const { field, write } = limitKinds[name] as LimitKind<keyof TierLimits>
  return write(limits[field])
}

function readLimit(name: LimitName, text: string): Partial<TierLimits> | null {
  const { field, read } = limitKinds[name] as LimitKind<keyof TierLimits>
  const found = read(text)
  return found && { [field]: found.value }
}

export function writeLimits(limits: Limits): Record<LimitKey, string> {
  const entries = tiers.flatMap((tier) =>
    limitNames.map((name) => [limitKey(tier, name), writeLimit(name, limits[tier])]),
  )
  return Object.fromEntries(entries)
}

/**
 * Parses the limit settings. Invalid values, for example from a newer version, fall back to the
 * default.
 */
export function readLimits(settings: Readonly<Record<LimitKey, string>>): Limits {
  const entries = tiers.map((tier): [Tier, TierLimits] => {
    const read = limitNames.map((name) => readLimit(name, settings[limitKey(tier, name)]))
    return [tier, Object.assign({}, defaultLimits[tier], ...read)]
  })
  return Object.fromEntries(entries) as Record<Tier, TierLimits>
}

/** @throws {RangeError} if the key belongs to no limit. */
export function limitOfKey(key: LimitKey): OfTier {
  for (const tier of tiers) {
    const name = limitNames.find((one) => limitKey(tier, one) === key)
    if (name) return { tier, name }
  }
  throw new RangeError(`no limit has the setting ${key}`)
}

type LimitVerdict = { ok: true; value: string } | { ok: false; error: string }

/** Validates a value on its own. Returns the text to store, or an error message. */
export function checkOwnBounds({ tier, name }: OfTier, text: string): LimitVerdict {
  const changed = readLimit(name, text.trim().toLowerCase())
  const { label, bounds } = limitKinds[name]
  return changed
    ? { ok: true, value: writeLimit(name, { ...defaultLimits[tier], ...changed }) }
    : { ok: false, error: `The ${label} must be ${bounds}.` }
}

/** Like `checkOwnBounds`, but also checks the value against the other current limits. */
export function checkLimit({ tier, name }: OfTier, text: string, limits: Limits): LimitVerdict {
  const alone = checkOwnBounds({ tier, name }, text)
  if (!alone.ok) return alone
  const own = { ...limits[tier], ...readLimit(name, alone.value) }
  const error = limitsError({ ...limits, [tier]: own })
  return error === null ? alone : { ok: false, error }
}

/**
 * Returns an error message if limits contradict one another, otherwise null. Links must not outlive
 * files, and no tier may allow more than the next one.
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
  const longest = maxExpirationDays(limits[tier])
  if (longest <= maxLifetimeDays) return null
  const { name } = tierTraits[tier]
  return `${name} would offer ${daysText(longest)}, but keep files for ${daysText(maxLifetimeDays)} at most.`
}

function tierOrderError(tier: Tier, limits: Limits): string | null {
  const { name, upgradesTo } = tierTraits[tier]
  if (upgradesTo === null) return null
  const more = moreThan(limits[tier], limits[upgradesTo])
  if (more === null) return null
  return `${name} would allow more than ${tierTraits[upgradesTo].name}: ${more}. Change the other tier first.`
}

/** Describes what `own` allows more of than the next tier. Null for nothing. */
function moreThan(own: TierLimits, above: TierLimits): string | null {
  const count = ({ maxFiles }: TierLimits) => maxFiles ?? Number.POSITIVE_INFINITY
  if (count(own) > count(above)) return 'files'
  if (own.maxFileSize > above.maxFileSize) return 'larger files'
  if (maxExpirationDays(own) > maxExpirationDays(above)) return 'longer links'
  return own.maxLifetimeDays > above.maxLifetimeDays ? 'a longer lifetime' : null
}

function maxExpirationDays({ expirationDays }: TierLimits): number {
  return Math.max(...expirationDays)
}

function within(
  value: number | null,
  { least, most }: { least: number; most: number },
): { value: number } | null {
  return value !== null && value >= least && value <= most ? { value } : null
}

function readWhole(text: string, bounds: { least: number; most: number }) {
  return within(/^\d{1,9}$/.test(text) ? Number(text) : null, bounds)
}

function readDays(text: string): { value: number[] } | null {
  const read = text.split(/\s*,\s*|\s+/).map((one) => readWhole(one, days)?.value ?? null)
  if (read.includes(null)) return null
  const value = [...new Set(read as number[])].sort((a, b) => a - b)
  return value.length <= days.choices ? { value } : null
}
