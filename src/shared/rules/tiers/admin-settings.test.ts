import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkSetting,
  maxSignatureLength,
  maxVersionLength,
  type SettingKey,
  settingDefaults,
  settingKeys,
} from './admin-settings.ts'

const currentSettings = settingDefaults('help@example.org')

const validSettings: [SettingKey, string, string][] = [
  ['premium_price', '1', '1'],
  ['premium_price', '99', '99'],
  ['premium_price', ' 9.50 ', '9.5'],
  ['premium_price', '08', '8'],
  ['app_version', ' v1.2.3 ', 'v1.2.3'],
  ['app_version', 'v'.repeat(maxVersionLength), 'v'.repeat(maxVersionLength)],
  ['email_signature', 'Mayfly\r\nhelp@example.org\r', 'Mayfly\nhelp@example.org'],
  ['email_signature', 'x'.repeat(maxSignatureLength), 'x'.repeat(maxSignatureLength)],
  ['requests', ' Premium ', 'premium'],
  ['send_by_email', 'off', 'off'],
  ['free_max_files', ' 7 ', '7'],
  ['premium_max_files', '10000', '10000'],
  ['premium_max_files', 'unlimited', 'unlimited'],
  ['free_max_file_size', '1GB', '1073741824'],
  ['premium_max_file_size', '83886080000', '83886080000'],
  ['premium_expiration_days', '30, 1 7,7', '1,7,30'],
  ['free_expiration_days', '1', '1'],
  ['premium_max_lifetime_days', '365', '365'],
  ['storage_cap', '1.5TB', '1649267441664'],
  ['storage_cap', ' Unlimited', 'unlimited'],
  ['storage_cap', '1000000GB', '1073741824000000'],
  ['free_space', '0', '0'],
  ['free_space', '20 gb', '21474836480'],
]

const invalidSettings: [SettingKey, string][] = [
  ...settingKeys.map((key): [SettingKey, string] => [key, '']),
  ['premium_price', '0'],
  ['premium_price', '0.99'],
  ['premium_price', '99.01'],
  ['premium_price', '100'],
  ['premium_price', '-8'],
  ['premium_price', '8.505'],
  ['premium_price', '1e1'],
  ['premium_price', '0x10'],
  ['premium_price', 'eight'],
  ['premium_price', 'NaN'],
  ['app_version', '   '],
  ['app_version', 'v1\nv2'],
  ['app_version', 'v1\u202e'],
  ['app_version', 'v'.repeat(maxVersionLength + 1)],
  ['email_signature', '\n'],
  ['email_signature', 'a\tb'],
  ['email_signature', 'a\u0000b'],
  ['email_signature', 'x'.repeat(maxSignatureLength + 1)],
  ['requests', 'everybody'],
  ['send_by_email', 'premium'],
  ['free_max_files', '0'],
  ['free_max_files', '-1'],
  ['free_max_files', '3.5'],
  ['premium_max_files', '10001'],
  ['premium_max_files', 'null'],
  ['premium_max_files', 'Infinity'],
  ['free_max_file_size', '1023KB'],
  ['premium_max_file_size', '83886080001'],
  ['premium_max_file_size', '79GB'],
  ['premium_max_file_size', 'unlimited'],
  ['premium_expiration_days', '0,3'],
  ['premium_expiration_days', '3,,5'],
  ['premium_expiration_days', '1,2,3,4,5,6'],
  ['premium_expiration_days', '3;5'],
  ['premium_expiration_days', '3.5'],
  ['premium_max_lifetime_days', '366'],
  ['premium_max_lifetime_days', '0'],
  ['premium_max_lifetime_days', '1e2'],
  ['storage_cap', '0'],
  ['storage_cap', '1023KB'],
  ['storage_cap', '-1GB'],
  ['storage_cap', '1000001GB'],
  ['free_space', '-1'],
  ['free_space', 'unlimited'],
  ['free_space', '1000001GB'],
  // Each value is within its own bounds but conflicts with another setting.
  ['free_max_file_size', '1073741825'],
  ['premium_max_file_size', '499MB'],
  ['free_max_lifetime_days', '31'],
  ['premium_max_lifetime_days', '29'],
  ['free_expiration_days', '31'],
  ['premium_expiration_days', '3,31'],
]

describe('checkSetting', () => {
  it.each(validSettings)('stores %s %j as %j', (key, text, value) => {
    expect(checkSetting(key, text, currentSettings)).toEqual({ ok: true, value })
  })

  it.each(invalidSettings)('rejects %s %j', (key, text) => {
    expect(checkSetting(key, text, currentSettings)).toMatchObject({ ok: false })
  })

  it('states the bounds of each setting', () => {
    const limitErrors = [
      'The number of files must be a whole number from 1 to 10,000, or unlimited.',
      'The size of a file must be from 1MB to 78.1GB: storage takes 10,000 parts of 8MB at most.',
      'The days to choose from must be 5 whole numbers at most, each from 1 to 365, such as 3, 5, 7.',
      'The maximum lifetime must be a whole number of days from 1 to 365.',
    ]
    const verdicts = settingKeys.map((key) => checkSetting(key, '', currentSettings))
    expect(verdicts).toEqual(
      [
        'The price must be a number from 1 to 99, in whole cents.',
        'The version must be one line of 1 to 40 characters.',
        'The signature must be plain text of 1 to 500 characters.',
        'The value must be one of: on, premium, off.',
        'The value must be one of: on, off.',
        ...limitErrors,
        ...limitErrors,
        'The cap must be a size from 1MB to 1,000,000GB, or unlimited.',
        'The minimum free space must be a size from 0 to 1,000,000GB.',
      ].map((error) => ({ ok: false, error })),
    )
  })

  it('leaves a value that it has normalized unchanged', () => {
    const numbers = fc.array(fc.nat(400), { minLength: 1, maxLength: 4 }).map((n) => n.join(' '))
    const anyText = fc.oneof(fc.string({ maxLength: 600 }), numbers, fc.constant('600 MB'))
    fc.assert(
      fc.property(fc.constantFrom(...settingKeys), anyText, (key, text) => {
        const verdict = checkSetting(key, text, currentSettings)
        fc.pre(verdict.ok)
        expect(checkSetting(key, verdict.value, currentSettings)).toEqual(verdict)
      }),
    )
  })

  it('accepts every default', () => {
    for (const [key, value] of Object.entries(currentSettings))
      expect(checkSetting(key as SettingKey, value, currentSettings)).toEqual({ ok: true, value })
  })
})
