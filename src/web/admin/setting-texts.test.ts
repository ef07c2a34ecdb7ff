import { expect, test } from 'vitest'
import { capKeys } from '../../shared/rules/files/storage-cap.ts'
import { textSettingKeys } from '../../shared/rules/tiers/admin-settings.ts'
import { limitKeys } from '../../shared/rules/tiers/limit-settings.ts'
import {
  breakDownDiskUsage,
  checkInput,
  describeLimit,
  formatInput,
  freeSpaceText,
  type LimitSettingKey,
  settingStrings,
  storageUseText,
} from './setting-texts.ts'

const limitSettingKeys: readonly LimitSettingKey[] = [...limitKeys, ...capKeys]

test.each<[LimitSettingKey, string, string]>([
  ['free_max_files', '3', '3'],
  ['premium_max_files', 'unlimited', 'unlimited'],
  ['free_max_file_size', '524288000', '500MB'],
  ['premium_max_file_size', '1073741824', '1GB'],
  ['premium_max_file_size', '1073741825', '1073741825'],
  ['premium_expiration_days', '3,5,7', '3, 5, 7'],
  ['free_max_lifetime_days', '30', '30'],
  ['storage_cap', 'unlimited', 'unlimited'],
  ['storage_cap', '1099511627776', '1024GB'],
  ['free_space', '0', '0'],
  ['free_space', '21474836480', '20GB'],
])('%s %s is formatted as %s and parses back to the same value', (key, storedValue, formatted) => {
  expect(formatInput(key, storedValue)).toBe(formatted)
  expect(checkInput(key, formatted)).toEqual({ ok: true, value: storedValue })
})

test('validates each setting against its own range and leaves comparisons with other settings to the server', () => {
  expect(checkInput('free_max_files', '0')).toMatchObject({ ok: false })
  expect(checkInput('storage_cap', '1')).toMatchObject({ ok: false })
  // The server would reject both values: Premium's default file size limit is lower than 2 GB, and
  // the default maximum lifetime is shorter than 60 days.
  expect(checkInput('free_max_file_size', '2GB')).toEqual({ ok: true, value: '2147483648' })
  expect(checkInput('free_expiration_days', '60, 90')).toEqual({ ok: true, value: '60,90' })
})

test('every setting has a label, a hint with its range, and a unique name', () => {
  const names = limitSettingKeys.map((key) => describeLimit(key).name)
  expect(new Set(names).size).toBe(limitSettingKeys.length)
  expect(names[0]).toBe('files at a time of Free')
  for (const key of limitSettingKeys) expect(describeLimit(key).hint).toMatch(/^[A-Z0-9].* .*\.$/)
  expect(describeLimit('storage_cap').hint).toBe('A size from 1MB to 1,000,000GB, or unlimited.')
})

const mebibyte = 1024 ** 2

test('the free space text names the deciding limit', () => {
  const disk = { size: 1024 * mebibyte, leastFree: 512 * mebibyte, minFree: 512 * mebibyte }
  expect(freeSpaceText(64 * mebibyte, disk)).toMatch(
    /^Uploads leave 512MB free\. That is MIN_FREE_SPACE, which is larger than .* \(64MB\)\./,
  )
  expect(freeSpaceText(512 * mebibyte, disk)).toBe(
    'Uploads leave 512MB free. That is "Minimum free space".',
  )
  expect(freeSpaceText(0, { ...disk, minFree: 0 })).toBe(
    'Uploads leave 512MB free. The embedded database needs that much.',
  )
  expect(freeSpaceText(0, { ...disk, size: 512 * mebibyte })).toContain(
    'The whole disk has less, so every upload is refused.',
  )
})

test('used and free space add up to the whole disk', () => {
  const use = { files: 300, uploads: 0, database: 60, reserve: 40, other: 1 }
  const disk = { size: 1000, free: 500, leastFree: 0, minFree: 0, use }
  expect(breakDownDiskUsage(disk)).toEqual([
    { name: 'Files', size: '300 Bytes' },
    { name: 'Embedded database', size: '60 Bytes' },
    { name: 'Kept for the database', size: '40 Bytes' },
    { name: 'Emails and the rest of DATA_DIR', size: '1 Bytes' },
    { name: 'Everything else on the disk', size: '99 Bytes' },
  ])
  // On a compressing file system, the sum of the file sizes can exceed the space used, which leaves
  // nothing for the entry 'Everything else on the disk'.
  expect(breakDownDiskUsage({ ...disk, free: 700 }).map(({ name }) => name)).not.toContain(
    'Everything else on the disk',
  )
})

test('the usage text mentions open uploads only if there are any', () => {
  expect(storageUseText({ files: 1024, uploads: 0 })).toBe('1 KB in files')
  expect(storageUseText({ files: 1024, uploads: 2048 })).toBe(
    '1 KB in files, 2 KB reserved for open uploads',
  )
})

test('each setting has the error title from spec §8 and a hint with its range', () => {
  expect(textSettingKeys.map((key) => settingStrings[key].failure)).toEqual([
    'Failed to update premium price',
    'Failed to update app version',
    'Failed to update email signature',
  ])
  expect(settingStrings.premium_price.hint).toBe('$1 to $99 per month.')
  expect(settingStrings.app_version.hint).toContain('40 characters')
  expect(settingStrings.email_signature.hint).toContain('500 characters')
})
