import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { settings } from '../src/server/config/startup-settings.ts'

/** A row of the README's table: | `NAME` | default | meaning | */
const row = /^\| `([A-Z][A-Z0-9_]+)` \| (.+?) \| .+ \|$/gm

test("the README's table has every setting with its default, and no other", async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const documented = Array.from(readme.matchAll(row), ([, name, value]) => [name, value])
  expect(documented).toEqual(
    Object.entries(settings).map(([name, setting]) => [name, setting.default]),
  )
})
