/**
 * Builds everything that browsers load into dist/web: the application, the download page, the
 * public pages, their scripts, the icons, and compressed copies. During the build, React renders
 * the download page and the public pages into templates. The server fills in the templates.
 */
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type InlineConfig } from 'vite'
import type { renderDownloadPages } from '../src/web/downloads/render.tsx'
import type { renderPublicPages } from '../src/web/public-pages/render.tsx'
import { buildIcons } from './build-icons.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist/web')
const renderer = join(root, 'node_modules/.cache/pages')

const config: InlineConfig = { configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }

type Built = Awaited<ReturnType<typeof build>>

function outputsOf(built: Built) {
  return 'output' in built ? built.output : []
}

/**
 * Builds the application. Also builds the script that shows a user's uploads on the pages that the
 * build renders. One build makes both, so they share files, which the browser caches once. Returns
 * the URL path of the script.
 */
async function buildApplication() {
  const uploads = join(root, 'src/web/built-pages/uploads.tsx')
  const built = await build({
    ...config,
    build: { rolldownOptions: { input: [join(root, 'src/web/index.html'), uploads] } },
  })
  const script = outputsOf(built).find(
    (output) => output.type === 'chunk' && output.facadeModuleId === uploads,
  )
  if (script === undefined) throw new Error('Expected a script with the uploads.')
  return `/${script.fileName}`
}

/**
 * Builds a script into one file. So the script does not depend on the files of the application. A
 * style sheet that it imports by URL becomes a file of its own.
 * @param source the path of the script below src/web.
 * @param fileName the name of the file in dist/web. Without a name, the file is named by a hash of
 * its content, and browsers may keep it for ever.
 * @returns the URL path of the script.
 */
async function buildScript(source: string, uploadsScript: string, fileName?: string) {
  const built = await build({
    ...config,
    publicDir: false,
    define: { uploadsScript: JSON.stringify(uploadsScript) },
    build: {
      emptyOutDir: false,
      modulePreload: false,
      // Swagger UI is as large as that.
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: join(root, 'src/web', source),
        ...(fileName !== undefined && { output: { entryFileNames: fileName } }),
      },
    },
  })
  const [file, ...others] = outputsOf(built).filter(({ type }) => type === 'chunk')
  if (file === undefined || others.length > 0) throw new Error(`Expected one script of ${source}.`)
  return `/${file.fileName}`
}

/** Builds and imports the functions that render the pages, and returns them. */
async function buildRenderers() {
  const modules = { downloads: 'downloads/render.tsx', public: 'public-pages/render.tsx' }
  await build({
    ...config,
    publicDir: false,
    build: {
      ssr: true,
      outDir: renderer,
      cssMinify: true,
      // All browsers that the product supports understand this CSS. Vite would add forms for older
      // ones, which only cost bytes.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(modules).map(([name, path]) => [name, join(root, 'src/web', path)]),
        ),
        output: { entryFileNames: '[name].js' },
      },
    },
  })
  const load = (name: keyof typeof modules) =>
    import(pathToFileURL(join(renderer, `${name}.js`)).href)
  const downloads: { renderDownloadPages: typeof renderDownloadPages } = await load('downloads')
  const pages: { renderPublicPages: typeof renderPublicPages } = await load('public')
  return { ...downloads, ...pages }
}

/** Throws if a page names a file that the build did not make. */
async function checkAssets(html: string) {
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) await access(join(dist, path))
}

/**
 * Writes two compressed copies, Brotli and gzip, beside each file that compression makes smaller.
 * Fonts and pictures are compressed already. The templates get no copies, because the server must
 * fill them in first.
 */
async function compress() {
  const files = await readdir(dist, { recursive: true, withFileTypes: true })
  const worthIt = (name: string) => /\.(js|css|svg|json)$/.test(name) || name === 'index.html'
  await Promise.all(
    files
      .filter((file) => file.isFile() && worthIt(file.name))
      .map(async (file) => {
        const path = join(file.parentPath, file.name)
        const bytes = await readFile(path)
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

process.env.NODE_ENV = 'production'
const uploadsScript = await buildApplication()
const downloadScript = await buildScript('downloads/enhance.ts', uploadsScript)
const scripts = {
  apiDocs: await buildScript('public-pages/api-docs-script.ts', uploadsScript),
  others: await buildScript('public-pages/page-script.ts', uploadsScript),
}
await buildScript('uploads/kept/share-worker.ts', uploadsScript, 'share-worker.js')
await buildIcons(join(root, 'src/web/public/favicon.svg'), dist)

const renderers = await buildRenderers()
const download = renderers.renderDownloadPages(downloadScript)
const pages = new Map([
  ['download.html', download.link],
  ['download-invalid.html', download.invalid],
  ['report.html', download.report],
  ...renderers.renderPublicPages(scripts),
])
await rm(renderer, { recursive: true })
for (const [file, html] of pages) {
  await checkAssets(html)
  await writeFile(join(dist, file), html)
}
await compress()
