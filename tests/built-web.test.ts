import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  type BuiltPage,
  builtPageFile,
  builtPages,
  signInPages,
} from '../src/shared/public-pages.ts'

const distDir = resolve('dist/web')

function readBuiltFile(file: string) {
  return readFile(join(distDir, file))
}

/** Smaller assets take one packet anyway. */
const minCompressedBytes = 1024

test('every text asset has a smaller, equivalent variant in each coding', async () => {
  const files = (await readdir(distDir, { recursive: true })).filter(
    (file) => /\.(m?js|css|svg)$/.test(file) || file === 'index.html',
  )
  expect(files.length).toBeGreaterThan(4)
  for (const file of files) {
    const plain = await readBuiltFile(file)
    if (plain.length < minCompressedBytes) continue
    const [br, gz] = [await readBuiltFile(`${file}.br`), await readBuiltFile(`${file}.gz`)]
    expect(brotliDecompressSync(br), file).toEqual(plain)
    expect(gunzipSync(gz), file).toEqual(plain)
    expect(br.length, file).toBeLessThan(plain.length)
  }
})

test('every asset has a content hash in its name', async () => {
  for (const file of await readdir(join(distDir, 'assets'))) {
    expect(file).toMatch(/-[\w-]{8}\.(js|css|avif|woff2)(\.br|\.gz)?$/)
  }
})

test('no contextual ligature replaces the x between digits of a name or code', async () => {
  const files = await readdir(distDir, { recursive: true })
  // The styles of these are in other files.
  const unstyledFiles = ['index.html', 'download-file-row.html']
  const pagesAndStyles = files.filter(
    (file) => /\.html$|index-.*\.css$/.test(file) && !unstyledFiles.includes(file),
  )
  expect(pagesAndStyles.length).toBeGreaterThan(4)
  for (const file of pagesAndStyles) {
    expect(String(await readBuiltFile(file)), file).toContain(
      'font-variant-ligatures:no-contextual',
    )
  }
})

test('the download page loads at most 20 KB before its button works, and 100 KB in all', async () => {
  const page = await readBuiltFile('download.html')
  expect(page.length).toBeLessThanOrEqual(20 * 1024)
  const html = page.toString()

  // Nothing blocks the first paint: styles are inline, and scripts are deferred.
  expect(html).not.toContain('rel="stylesheet"')
  const scripts = html.match(/<script [^>]*>/g)
  expect(scripts).toEqual([
    expect.stringMatching(/^<script type="module" src="\/assets\/enhance-[\w-]+\.js">$/),
  ])

  const assets = [...new Set(html.match(/\/assets\/[\w.-]+/g))]
  const sizes = await Promise.all(
    assets.map(async (file) => brotliCompressSync(await readBuiltFile(file)).length),
  )
  expect(assets.length).toBe(2)
  const totalBytes = sizes.reduce((sum, size) => sum + size, page.length)
  expect(totalBytes).toBeLessThanOrEqual(100 * 1024)
})

/** Returns the paths of a page's scripts, and the compressed bytes of the page with them. */
async function weighPage(name: BuiltPage) {
  const page = await readBuiltFile(builtPageFile(name))
  const html = page.toString()
  // Nothing blocks the first paint.
  expect(html).not.toContain('rel="stylesheet"')
  const scripts = Array.from(
    html.matchAll(/<script [^>]*src="\/([^"]+)"/g),
    ([, path = '']) => path,
  )
  const scriptBytes = await sumBytes(scripts)
  return { scripts, scriptBytes, totalBytes: scriptBytes + brotliCompressSync(page).length }
}

/** Returns the size of files in dist/web, as browsers load them. */
async function sumBytes(paths: readonly string[]) {
  const names = await readdir(distDir, { recursive: true })
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const sent = names.includes(`${path}.br`) ? `${path}.br` : path
      return (await readBuiltFile(sent)).length
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const isSignInPage = (name: BuiltPage) => name in signInPages
const lightPages = builtPages.filter((name) => name !== 'api-docs' && !isSignInPage(name))

test.each(lightPages)('the public page %s needs at most 30 KB to be usable', async (name) => {
  const { scripts, totalBytes } = await weighPage(name)
  expect(scripts).toEqual([expect.stringMatching(/^assets\/page-script-[\w-]+\.js$/)])
  expect(totalBytes).toBeLessThanOrEqual(30 * 1024)
})

test('the pictures of the landing page are light, lazy, and reserve their space', async () => {
  const html = (await readBuiltFile(builtPageFile('landing'))).toString()
  const images = html.match(/<(?:img|source) [^>]*>/g) ?? []
  expect(images).toHaveLength(8)
  for (const image of images) {
    expect(image).toMatch(/ width="\d+" height="\d+"/)
    if (image.startsWith('<img')) expect(image).toContain('loading="lazy"')
    const [, path = ''] = /="\/(assets\/[\w-]+\.avif)"/.exec(image) ?? []
    const limit = image.startsWith('<img') ? 48 : 24
    expect((await readBuiltFile(path)).length, path).toBeLessThanOrEqual(limit * 1024)
  }
})

test.each(builtPages.filter(isSignInPage))(
  'the page %s needs a script of at most 10 KB, and 20 KB in all to be usable',
  async (name) => {
    const { scripts, scriptBytes, totalBytes } = await weighPage(name)
    expect(scripts).toEqual([expect.stringMatching(/^assets\/sign-in-script-[\w-]+\.js$/)])
    expect(scriptBytes).toBeLessThanOrEqual(10 * 1024)
    expect(totalBytes).toBeLessThanOrEqual(20 * 1024)
  },
)

test("the dashboard's first view needs at most 130 kB of scripts, in few files", async () => {
  const html = (await readBuiltFile('index.html')).toString()
  const scripts = Array.from(
    html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g),
    ([, path = '']) => path,
  )
  expect(scripts.length).toBeLessThanOrEqual(4)
  expect(await sumBytes(scripts)).toBeLessThanOrEqual(130_000)
  // The schemas are in chunks that are loaded when a form needs them.
  for (const path of scripts)
    expect(String(await readBuiltFile(path)), path).not.toContain('ZodError')
})

test("the download page's script is one file of at most 3 KB compressed", async () => {
  const [path = ''] =
    (await readBuiltFile('download.html')).toString().match(/assets\/enhance-[\w-]+\.js/) ?? []
  expect((await readBuiltFile(`${path}.br`)).length).toBeLessThanOrEqual(3 * 1024)
  const script = (await readBuiltFile(path)).toString()
  expect(script).not.toMatch(/\bexport\b|\bimport\b(?!\()/)
  // The page may load one more script later, which lists the visitor's own uploads.
  const lazyScripts = Array.from(
    script.matchAll(/import\(.?\/assets\/([\w.-]+)/g),
    ([, name]) => name,
  )
  expect(lazyScripts).toEqual([expect.stringMatching(/^uploads-[\w-]+\.js$/)])
  expect(await readdir(join(distDir, 'assets'))).toContain(lazyScripts[0])
})

test('the command line client is one readable file without dependencies', async () => {
  const client = (await readBuiltFile('mayfly.mjs')).toString()
  const imports = Array.from(
    client.matchAll(/\b(?:from|import\()\s*['"]([^'"]+)['"]/g),
    ([, name]) => name,
  )
  expect(imports.length).toBeGreaterThan(4)
  for (const name of imports) expect(name).toMatch(/^node:/)
  expect(client).not.toMatch(/\bzod\b|WebAssembly/)
  expect(client.trimEnd().split('\n').length).toBeLessThanOrEqual(800)
})
