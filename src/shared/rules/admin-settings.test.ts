import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkSetting,
  longestSignature,
  longestVersion,
  type SettingKey,
  settingDefaults,
  settingKeys,
} from './admin-settings.ts'

const kept: [SettingKey, string, string][] = [
  ['premium_price', '1', '1'],
  ['premium_price', '99', '99'],
  ['premium_price', ' 9.50 ', '9.5'],
  ['premium_price', '08', '8'],
  ['app_version', ' v1.2.3 ', 'v1.2.3'],
  ['app_version', 'v'.repeat(longestVersion), 'v'.repeat(longestVersion)],
  ['email_signature', 'Mayfly\r\nhelp@example.org\r', 'Mayfly\nhelp@example.org'],
  ['email_signature', 'x'.repeat(longestSignature), 'x'.repeat(longestSignature)],
]

const refused: [SettingKey, string][] = [
  ['premium_price', ''],
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
  ['app_version', 'v'.repeat(longestVersion + 1)],
  ['email_signature', '\n'],
  ['email_signature', 'a\tb'],
  ['email_signature', 'a\u0000b'],
  ['email_signature', 'x'.repeat(longestSignature + 1)],
]

describe('checkSetting', () => {
  it.each(kept)('keeps %s %j as %j', (key, text, value) => {
    expect(checkSetting(key, text)).toEqual({ ok: true, value })
  })

  it.each(refused)('refuses %s %j', (key, text) => {
    expect(checkSetting(key, text)).toMatchObject({ ok: false })
  })

  it('names the bound of each setting', () => {
    const faults = settingKeys.map((key) => checkSetting(key, ''))
    expect(faults).toEqual([
      { ok: false, fault: 'The price must be a number from 1 to 99, in whole cents.' },
      { ok: false, fault: 'The version must be one line of 1 to 40 characters.' },
      { ok: false, fault: 'The signature must be plain text of 1 to 500 characters.' },
    ])
  })

  it('changes nothing about a value that it kept before', () => {
    fc.assert(
      fc.property(fc.constantFrom(...settingKeys), fc.string({ maxLength: 600 }), (key, text) => {
        const first = checkSetting(key, text)
        fc.pre(first.ok)
        expect(checkSetting(key, first.value)).toEqual(first)
      }),
    )
  })

  it('accepts every default', () => {
    for (const [key, value] of Object.entries(settingDefaults('help@example.org')))
      expect(checkSetting(key as SettingKey, value)).toEqual({ ok: true, value })
  })
})
