import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toSourceStack } from './source-stack.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-maps-'))
  // The first character of the bundle is that of the source's line 3, column 5.
  const map = { version: 3, sources: ['../src/deliver.ts'], names: [], mappings: 'AAEI' }
  await writeFile(join(folder, 'bundle.js.map'), JSON.stringify(map))
  await writeFile(join(folder, 'damaged.js.map'), '{')
})
afterAll(() => rm(folder, { recursive: true }))

const urlOf = (path: string) => pathToFileURL(join(folder, path)).href

test('a bundled position becomes that in its source', () => {
  const stack = (position: string) =>
    `Error: no file\n    at deliver (${position})\n    at node:fs:1:2`
  expect(toSourceStack(stack(`${urlOf('bundle.js')}:1:1`))).toBe(
    stack(`${urlOf('../src/deliver.ts')}:3:5`),
  )
})

test.each(['damaged.js', 'without-map.js'])('a position in %s stays as it is', (name) => {
  const stack = `Error: no file\n    at ${urlOf(name)}:1:1`
  expect(toSourceStack(stack)).toBe(stack)
})
