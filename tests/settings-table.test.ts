import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readConfig } from '../src/server/config/config.ts'
import { settingsSchema } from '../src/server/config/startup-settings.ts'

/** A row of the table in docs/settings.md: | `NAME` | default | meaning | */
const rowPattern = /^\| `([A-Z][A-Z0-9_]+)` \| (.+?) \| .+ \|$/gm

const page = await readFile(new URL('../docs/settings.md', import.meta.url), 'utf8')
const documentedSettings = Array.from(page.matchAll(rowPattern), ([, name = '', value = '']) => ({
  name,
  value,
}))

test('docs/settings.md lists exactly the existing settings', () => {
  expect(documentedSettings.map(({ name }) => name)).toEqual(Object.keys(settingsSchema.shape))
})

/** Settings whose documented default is a description, or depends on other settings. */
const nonLiteralDefaults = ['APP_URL', 'S3_PUBLIC_ENDPOINT', 'GOOGLE_ISSUER', 'MAIL_FROM']

const literalDefaults = documentedSettings.flatMap(({ name, value }) => {
  const [, literal] = /^`([^`]+)`$/.exec(value) ?? []
  return literal === undefined || nonLiteralDefaults.includes(name)
    ? []
    : [[name, literal] as const]
})

test.each(literalDefaults)('the documented default of %s is %s', (name, literal) => {
  expect(readConfig({ [name]: literal })).toEqual(readConfig({}))
})
