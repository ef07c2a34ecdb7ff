import { type CapKey, capRangeTexts, checkCap } from '../../shared/rules/files/storage-cap.ts'
import { formatSize, formatSizeLimit, parseSize } from '../../shared/rules/format/file-size.ts'
import { priceText } from '../../shared/rules/format/numbers.ts'
import {
  type ChoiceSettingKey,
  maxSignatureLength,
  maxVersionLength,
  priceBounds,
  type SettingVerdict,
  type TextSettingKey,
} from '../../shared/rules/tiers/admin-settings.ts'
import {
  checkLimitBounds,
  type LimitKey,
  type LimitName,
  limitBoundsText,
  limitKeys,
  parseLimitKey,
} from '../../shared/rules/tiers/limit-settings.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import type { CallResponse } from '../api/call.ts'

interface SettingStrings {
  label: string
  /** Says where the value appears and what range is allowed. */
  hint: string
  /** The title of the toast shown when saving fails (spec §8). */
  failure: string
  /** Formats the value for use in a sentence, or returns null if it has several lines. */
  inSentence: (value: string) => string | null
}

/** The labels and messages for each setting in the "Settings" section of the Admin Center. */
export const settingStrings: Readonly<Record<TextSettingKey, SettingStrings>> = {
  premium_price: {
    label: 'Premium price',
    hint: `${priceText(priceBounds.min)} to ${priceText(priceBounds.max)} per month.`,
    failure: 'Failed to update premium price',
    inSentence: priceText,
  },
  app_version: {
    label: 'App version',
    hint: `Shown in the footer. At most ${maxVersionLength} characters.`,
    failure: 'Failed to update app version',
    inSentence: (value) => value,
  },
  email_signature: {
    label: 'Email signature',
    hint: `Ends every email of this server, and those that share a link. At most ${maxSignatureLength} characters.`,
    failure: 'Failed to update email signature',
    inSentence: () => null,
  },
}

interface ChoiceStrings extends Pick<SettingStrings, 'label' | 'hint' | 'failure'> {
  /** The label of each choice. */
  choices: Readonly<Record<string, string>>
}

/** The labels and messages for each setting with fixed choices. */
export const choiceStrings: Readonly<Record<ChoiceSettingKey, ChoiceStrings>> = {
  requests: {
    label: 'Requests',
    hint: 'Who can receive files from people without an account. While off, no request takes files.',
    failure: 'Failed to update requests',
    choices: { on: 'Everybody', premium: tierTraits.premium.name, off: 'Off' },
  },
  send_by_email: {
    label: 'Links by email',
    hint: `Whether ${tierTraits.premium.name} users can send links by email from this server.`,
    failure: 'Failed to update links by email',
    choices: { on: 'On', off: 'Off' },
  },
}

/** A setting in the "Limits" section. */
export type LimitSettingKey = LimitKey | CapKey

const limitLabels: Record<LimitName | CapKey, string> = {
  max_files: 'Files at a time',
  max_file_size: 'File size',
  expiration_days: 'Expiry choices in days',
  max_lifetime_days: 'Maximum lifetime in days',
  storage_cap: 'Total storage',
  free_space: 'Minimum free space',
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

function isLimit(key: LimitSettingKey): key is LimitKey {
  return limitKeys.some((limitKey) => limitKey === key)
}

/**
 * Returns a setting's label, a hint that states its range, and a name that is unique among the
 * forms. The name includes the tier, because both tiers have the same labels.
 */
export function describeLimit(key: LimitSettingKey): { label: string; hint: string; name: string } {
  if (!isLimit(key)) {
    const label = limitLabels[key]
    const overrideNote =
      key === 'free_space' ? ' If MIN_FREE_SPACE is larger, it applies instead.' : ''
    return {
      label,
      hint: `${toSentence(capRangeTexts[key])}${overrideNote}`,
      name: label.toLowerCase(),
    }
  }
  const { tier, name } = parseLimitKey(key)
  const label = limitLabels[name]
  const hint = toSentence(limitBoundsText(name))
  return { label, hint, name: `${label.toLowerCase()} of ${tierTraits[tier].name}` }
}

const sizeKeyPattern = /_max_file_size$|^storage_cap$|^free_space$/

/**
 * Formats a stored value for the input field: 524288000 bytes become '500MB', and the days '3,5,7'
 * become '3, 5, 7'.
 */
export function formatInput(key: LimitSettingKey, storedValue: string): string {
  if (key.endsWith('_expiration_days')) return storedValue.replaceAll(',', ', ')
  const bytes = sizeKeyPattern.test(key) ? parseSize(storedValue) : null
  if (bytes === null || bytes === 0) return storedValue
  const shortText = formatSizeLimit(bytes)
  return parseSize(shortText) === bytes ? shortText : storedValue
}

/**
 * Checks that the input is in the setting's own range. Only the server compares it with other
 * limits, because their values on this page may be outdated.
 */
export function checkInput(key: LimitSettingKey, input: string): SettingVerdict {
  return isLimit(key) ? checkLimitBounds(parseLimitKey(key), input) : checkCap(key, input)
}

type Disk = NonNullable<CallResponse<'GET /api/admin/limits'>['disk']>

/**
 * Explains how much disk space uploads must leave free. This is the largest of three values: the
 * "Minimum free space" setting, MIN_FREE_SPACE in the server's environment, and the space that the
 * embedded database needs. If the disk is smaller than that, the text says that every upload is
 * refused.
 * @param configured the "Minimum free space" setting, in bytes.
 * @param disk `leastFree` is the largest of the three values, `minFree` is MIN_FREE_SPACE, and
 * `size` is the disk's size, all in bytes.
 */
export function freeSpaceText(
  configured: number,
  disk: Pick<Disk, 'leastFree' | 'minFree' | 'size'>,
): string {
  const { leastFree, minFree, size } = disk
  const tooLargeNote =
    leastFree < size ? '' : ' The whole disk has less, so every upload is refused.'
  const freeSpaceSentence = `Uploads leave ${formatSizeLimit(leastFree)} free.${tooLargeNote}`
  if (leastFree <= configured) return `${freeSpaceSentence} That is "Minimum free space".`
  if (leastFree > minFree) return `${freeSpaceSentence} The embedded database needs that much.`
  return `${freeSpaceSentence} That is MIN_FREE_SPACE, which is larger than "Minimum free space" (${formatSizeLimit(configured)}). To lower it, change MIN_FREE_SPACE and restart the server.`
}

const usageLabels: Record<keyof Disk['use'], string> = {
  files: 'Files',
  uploads: 'Unfinished uploads',
  database: 'Embedded database',
  reserve: 'Kept for the database',
  other: 'Emails and the rest of DATA_DIR',
}

/**
 * Breaks down the used disk space into what Mayfly uses and everything else, without empty entries.
 * Together with the free space, the entries add up to the disk's size.
 */
export function breakDownDiskUsage({ free, size, use }: Disk): { name: string; size: string }[] {
  const parts = Object.keys(usageLabels) as (keyof Disk['use'])[]
  const ownBytes = parts.reduce((sum, part) => sum + use[part], 0)
  const otherBytes = Math.max(0, size - free - ownBytes)
  return [
    ...parts.map((part) => ({ name: usageLabels[part], bytes: use[part] })),
    { name: 'Everything else on the disk', bytes: otherBytes },
  ]
    .filter(({ bytes }) => bytes > 0)
    .map(({ name, bytes }) => ({ name, size: formatSize(bytes) }))
}

/** Says how many bytes are used by files and how many are reserved for open uploads. */
export function storageUseText({ files, uploads }: { files: number; uploads: number }): string {
  const filesText = `${formatSize(files)} in files`
  return uploads === 0
    ? filesText
    : `${filesText}, ${formatSize(uploads)} reserved for open uploads`
}
