import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Exports, shorten } from '../scripts/drizzle-exports.mjs'

const folder = resolve(import.meta.dirname, '../node_modules/drizzle-orm')

test('shortens a list by one pattern, and every name leads to the same file', () => {
  const entry = (path: string) => ({
    import: { types: `${path}.d.ts`, default: `${path}.js` },
    require: { types: `${path}.d.cts`, default: `${path}.cjs` },
    types: `${path}.d.ts`,
    default: `${path}.js`,
  })
  const long: Exports = {
    '.': entry('./index'),
    './pg-core': entry('./pg-core/index'),
    './pg-core/columns/text': entry('./pg-core/columns/text'),
    './version': entry('./version'),
    './only-import': { import: { default: './only-import.js' } },
    './package.json': './package.json',
  }
  const short = shorten(long)
  expect(short).toEqual({
    '.': { require: './index.cjs', default: './index.js' },
    './pg-core': { require: './pg-core/index.cjs', default: './pg-core/index.js' },
    './only-import': { import: { default: './only-import.js' } },
    './package.json': './package.json',
    './*': { require: './*.cjs', default: './*.js' },
  })
  expect(shorten(short)).toMatchObject({ './*': short['./*'], './pg-core': short['./pg-core'] })
})

test('leads to every module of the installed drizzle-orm, whether or not its list is short', async () => {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const short = shorten(exports)
  const files = await readdir(folder, { recursive: true })
  const all = files.filter((file) => file.endsWith('.js')).map((file) => file.slice(0, -3))
  // Where there is a file and a folder, as pg-core/utils, drizzle-orm means the folder.
  const modules = all.filter((module) => !all.includes(`${module}/index`))
  expect(modules.length).toBeGreaterThan(300)
  for (const module of modules) {
    const name = module === 'index' ? '.' : `./${module.replace(/\/index$/, '')}`
    const places = JSON.stringify(short[name] ?? short['./*']).replaceAll('*', name.slice(2))
    const found = [...places.matchAll(/"(\.\/[^"]+)"/g)].map(([, place = '']) => place)
    expect(found).toEqual([`./${module}.cjs`, `./${module}.js`])
    for (const place of found) expect(existsSync(join(folder, place))).toBe(true)
  }
})
