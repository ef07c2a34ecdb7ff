import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readConfig } from '../src/server/config/config.ts'
import { settingsSchema } from '../src/server/config/startup-settings.ts'

/** A row of the README's table: | `NAME` | default | meaning | */
const row = /^\| `([A-Z][A-Z0-9_]+)` \| (.+?) \| .+ \|$/gm

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
const documented = Array.from(readme.matchAll(row), ([, name = '', value = '']) => ({
  name,
  value,
}))

test("the README's table lists exactly the existing settings", () => {
  expect(documented.map(({ name }) => name)).toEqual(Object.keys(settingsSchema.shape))
})

/** Defaults that name or depend on other settings. */
const notLiteral = ['APP_URL', 'S3_PUBLIC_ENDPOINT', 'GOOGLE_ISSUER', 'MAIL_FROM']

const literals = documented.flatMap(({ name, value }) => {
  const [, literal] = /^`([^`]+)`$/.exec(value) ?? []
  return literal === undefined || notLiteral.includes(name) ? [] : [[name, literal] as const]
})

test.each(literals)('the documented default of %s is %s', (name, literal) => {
  expect(readConfig({ [name]: literal })).toEqual(readConfig({}))
})
