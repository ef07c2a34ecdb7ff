import { expect, test } from 'vitest'
import { textSettingKeys } from '../../shared/rules/tiers/admin-settings.ts'
import { savedText } from './settings-section.tsx'
import { settingTexts } from './use-settings.ts'

test('each setting has its failure of spec §8, and names its bounds', () => {
  expect(textSettingKeys.map((key) => settingTexts[key].failure)).toEqual([
    'Failed to update premium price',
    'Failed to update app version',
    'Failed to update email signature',
  ])
  expect(settingTexts.premium_price.hint).toBe('$1 to $99 per month.')
  expect(settingTexts.app_version.hint).toContain('40 characters')
  expect(settingTexts.email_signature.hint).toContain('500 characters')
})

test('a saved value is told with the one before, and one of several lines by its length', () => {
  expect(savedText('premium_price', '8', '9')).toBe('Saved. It was $8.')
  expect(savedText('premium_price', '9.5', '9')).toBe('Saved. It was $9.50.')
  expect(savedText('app_version', 'v0.9.9', 'v1')).toBe('Saved. It was v0.9.9.')
  expect(savedText('email_signature', 'a\nb', 'x')).toBe('Saved: 1 line, 1 character.')
  expect(savedText('email_signature', 'a', 'Mayfly\nfor you\n')).toBe(
    'Saved: 3 lines, 15 characters.',
  )
})
