/**
 * Builds everything that browsers load into dist/web: the application, the download page, and
 * compressed copies of both. React renders the download page here, once, into a template. The
 * server fills the template in.
 */
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type InlineConfig } from 'vite'
import type { renderDownloadPages } from '../src/web/downloads/render.tsx'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist/web')
const renderer = join(root, 'node_modules/.cache/download-page')

const config: InlineConfig = { configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }

type Built = Awaited<ReturnType<typeof build>>

function outputsOf(built: Built) {
  return 'output' in built ? built.output : []
}

/**
 * Builds the application, and the script that shows a user's uploads on the download page. One
 * build makes both, so that they share files, which the browser then caches once. Returns the
 * address of the script.
 */
async function buildApplication() {
  const uploads = join(root, 'src/web/downloads/uploads.tsx')
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
 * Builds the download page's script into one file. Then the page need not wait for the files of the
 * application.
 */
async function buildScript(uploadsScript: string) {
  const built = await build({
    ...config,
    publicDir: false,
    define: { uploadsScript: JSON.stringify(uploadsScript) },
    build: {
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: { input: join(root, 'src/web/downloads/enhance.ts') },
    },
  })
  const [file, ...others] = outputsOf(built)
  if (file === undefined || others.length > 0) throw new Error('Expected one script.')
  return `/${file.fileName}`
}

async function renderPages(script: string) {
  await build({
    ...config,
    publicDir: false,
    build: {
      ssr: join(root, 'src/web/downloads/render.tsx'),
      outDir: renderer,
      cssMinify: true,
      // All browsers that the product supports understand this CSS. Vite would add forms for older
      // ones, which only cost bytes.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      rolldownOptions: { output: { entryFileNames: 'render.js' } },
    },
  })
  const module: { renderDownloadPages: typeof renderDownloadPages } = await import(
    pathToFileURL(join(renderer, 'render.js')).href
  )
  return module.renderDownloadPages(script)
}

/** Throws if a page names a file that the build did not make. */
async function checkAssets(html: string) {
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) await access(join(dist, path))
}

/**
 * Writes a compressed copy beside each file that compression makes smaller. Fonts and pictures are
 * compressed already.
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
const pages = await renderPages(await buildScript(await buildApplication()))
await rm(renderer, { recursive: true })
await checkAssets(pages.link)
await writeFile(join(dist, 'download.html'), pages.link)
await writeFile(join(dist, 'download-invalid.html'), pages.invalid)
await writeFile(join(dist, 'report.html'), pages.report)
await compress()
