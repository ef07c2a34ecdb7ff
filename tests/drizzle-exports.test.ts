import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type Exports,
  hasLongExports,
  shorten,
  shortenExports,
} from '../scripts/drizzle-exports.mjs'

const folder = resolve(import.meta.dirname, '../node_modules/drizzle-orm')

test('shortens the exports to a pattern that resolves every name to the same file', () => {
  const makeEntry = (path: string) => ({
    import: { types: `${path}.d.ts`, default: `${path}.js` },
    require: { types: `${path}.d.cts`, default: `${path}.cjs` },
    types: `${path}.d.ts`,
    default: `${path}.js`,
  })
  const longExports: Exports = {
    '.': makeEntry('./index'),
    './pg-core': makeEntry('./pg-core/index'),
    './pg-core/columns/text': makeEntry('./pg-core/columns/text'),
    './version': makeEntry('./version'),
    './only-import': { import: { default: './only-import.js' } },
    './package.json': './package.json',
  }
  const shortExports = shorten(longExports)
  expect(shortExports).toEqual({
    '.': { require: './index.cjs', default: './index.js' },
    './pg-core': { require: './pg-core/index.cjs', default: './pg-core/index.js' },
    './only-import': { import: { default: './only-import.js' } },
    './package.json': './package.json',
    './*': { require: './*.cjs', default: './*.js' },
  })
  expect(shorten(shortExports)).toMatchObject({
    './*': shortExports['./*'],
    './pg-core': shortExports['./pg-core'],
  })
})

test('resolves every module of the installed drizzle-orm', async () => {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const shortExports = shorten(exports)
  const files = await readdir(folder, { recursive: true })
  const moduleNames = files.filter((file) => file.endsWith('.js')).map((file) => file.slice(0, -3))
  // If a file and a directory share a name, as with pg-core/utils, drizzle-orm's exports resolve to
  // the directory.
  const modules = moduleNames.filter((module) => !moduleNames.includes(`${module}/index`))
  expect(modules.length).toBeGreaterThan(300)
  for (const module of modules) {
    const name = module === 'index' ? '.' : `./${module.replace(/\/index$/, '')}`
    const targets = JSON.stringify(shortExports[name] ?? shortExports['./*']).replaceAll(
      '*',
      name.slice(2),
    )
    const resolvedPaths = [...targets.matchAll(/"(\.\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(resolvedPaths).toEqual([`./${module}.cjs`, `./${module}.js`])
    for (const path of resolvedPaths) expect(existsSync(join(folder, path))).toBe(true)
  }
})

test("shortens a package's exports only once", async () => {
  const path = await writeManifest({ name: 'some', exports: { '.': './a.js' } })
  expect(hasLongExports(path)).toBe(true)
  shortenExports(path)
  expect(hasLongExports(path)).toBe(false)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    name: 'some',
    exports: { '.': './a.js', './*': { require: './*.cjs', default: './*.js' } },
  })
})

test.each([
  ['has no exports', { name: 'some' }],
  ['exports one module', { exports: './index.js' }],
  ['has conditional exports', { exports: { import: './a.js', require: './a.cjs' } }],
  ['has null exports', { exports: null }],
  ['is null', null],
])("doesn't change a package whose package.json %s", async (_description, manifest) => {
  const path = await writeManifest(manifest)
  expect(hasLongExports(path)).toBe(false)
})

test("doesn't change an unreadable package", async () => {
  const path = await writeManifest({})
  await writeFile(path, '{"exports":')
  expect(hasLongExports(path)).toBe(false)
  expect(hasLongExports(`${path}.missing`)).toBe(false)
})

test("reports a package that isn't writable", async () => {
  const consoleErrorSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => consoleErrorSpy.mockRestore())
  const longManifest = { exports: { '.': './a.js', './internal/*': null } }
  const path = await writeManifest(longManifest)
  await mkdir(`${path}.${process.pid}`)
  shortenExports(path)
  expect(consoleErrorSpy.mock.calls).toEqual([
    [expect.stringMatching(/^drizzle-orm's exports stay long: EISDIR/)],
  ])
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(longManifest)
})

async function writeManifest(manifest: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-exports-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'package.json')
  await writeFile(path, JSON.stringify(manifest))
  return path
}
