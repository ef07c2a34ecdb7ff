/**
 * Builds everything that browsers load into dist/web: the app, the download page, the public pages
 * with their scripts, icons, and compressed copies. React renders the download page and the public
 * pages into templates that the server fills in.
 */
import { execFileSync } from 'node:child_process'
import { access, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type InlineConfig } from 'vite'
import type { renderDownloadPages } from '../src/web/downloads/render.tsx'
import type { renderShell } from '../src/web/pages/shell.tsx'
import type { renderPublicPages } from '../src/web/public-pages/render.tsx'
import type { renderRequestPages } from '../src/web/requests/page/render.tsx'
import { buildIcons } from './build-icons.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const distDir = join(root, 'dist/web')
const rendererDir = join(root, 'node_modules/.cache/pages')

const config: InlineConfig = { configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }

/** React changes rarely, so it is cached in its own file. */
const reactModules = /\/node_modules\/(react|react-dom|scheduler)\//

type BuildResult = Awaited<ReturnType<typeof build>>

function getChunks(result: BuildResult) {
  const outputs = 'output' in result ? result.output : []
  return outputs.flatMap((output) => (output.type === 'chunk' ? [output] : []))
}

/** Builds the app. Returns the URL paths of the files that its first view, the dashboard, loads. */
async function buildApplication() {
  // What the first view needs is in few files, because each costs a request.
  const groups = [
    { name: 'react', test: reactModules },
    { name: 'first', tags: ['$initial' as const] },
  ]
  const buildResult = await build({
    ...config,
    build: {
      license: { fileName: 'licenses.md' },
      rolldownOptions: { output: { codeSplitting: { groups } } },
    },
  })
  const chunks = getChunks(buildResult)
  const entry = chunks.find(({ isEntry }) => isEntry)
  if (entry === undefined) throw new Error('Expected a script of the app.')
  const fileNames = new Set([entry.fileName, ...entry.imports])
  const styles = chunks
    .filter(({ fileName }) => fileNames.has(fileName))
    .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
  return [...fileNames, ...styles].map((file) => `/${file}`)
}

/**
 * Builds the scripts for uploads on prerendered pages, which share chunks. Returns their URL paths.
 */
async function buildUploadScripts() {
  const sources = {
    uploads: join(root, 'src/web/built-pages/uploads.tsx'),
    send: join(root, 'src/web/requests/page/send-files.tsx'),
  }
  const buildResult = await build({
    ...config,
    publicDir: false,
    build: {
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: {
        input: Object.values(sources),
        output: { codeSplitting: { groups: [{ name: 'react', test: reactModules }] } },
      },
    },
  })
  const findScript = (source: string) => {
    const script = getChunks(buildResult).find(({ facadeModuleId }) => facadeModuleId === source)
    if (script === undefined) throw new Error(`Expected a script of ${source}.`)
    return `/${script.fileName}`
  }
  return { uploadsScript: findScript(sources.uploads), sendScript: findScript(sources.send) }
}

/** The URLs that scripts declare as constants. */
interface ScriptUrls {
  uploadsScript: string
  dashboardFiles: string[]
}

/**
 * Builds a self-contained script. Style sheets imported by URL become separate files.
 * @param source path below src/web.
 * @param urls the values of the constants that the script declares.
 * @param fileName name in dist/web. Defaults to a content hash, for immutable caching.
 * @returns the URL path.
 */
async function buildScript(source: string, urls: ScriptUrls, fileName?: string) {
  const buildResult = await build({
    ...config,
    publicDir: false,
    define: {
      uploadsScript: JSON.stringify(urls.uploadsScript),
      dashboardFiles: JSON.stringify(urls.dashboardFiles),
    },
    build: {
      emptyOutDir: false,
      modulePreload: false,
      // Swagger UI exceeds Vite's default limit.
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: join(root, 'src/web', source),
        ...(fileName !== undefined && { output: { entryFileNames: fileName } }),
      },
    },
  })
  const [file, ...extraScripts] = getChunks(buildResult)
  if (file === undefined || extraScripts.length > 0)
    throw new Error(`Expected one script of ${source}.`)
  return `/${file.fileName}`
}

/** Builds the command line client as one readable file. */
async function buildClient() {
  const buildResult = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: join(root, 'src/cli/main.ts'),
      write: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        // Modules of which nothing is used contain schemas and tables.
        treeshake: { moduleSideEffects: false },
        experimental: { attachDebugInfo: 'none' },
        optimization: { inlineConst: { mode: 'all' } },
        output: { minify: false, comments: false },
      },
    },
  })
  const [chunk] = getChunks(buildResult)
  if (chunk === undefined) throw new Error('Expected one script of the client.')
  const code = chunk.code
    .replaceAll('/* @__PURE__ */ ', '')
    // Numbers that have been inlined.
    .replaceAll(/^var (\w+) = [\de]+;\n(?![\s\S]*\b\1\b)/gm, '')
    .replaceAll(/^\n(?=\w)/gm, '')
    .replace(/export \{\s*\};\s*$/, '')
  const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'))
  // The image is built without biome.json.
  const style = ['--expand=never', '--indent-style=space', '--line-width=100']
  const signs = ['--semicolons=as-needed', '--javascript-formatter-quote-style=single']
  const args = [biome, 'format', '--stdin-file-path=mayfly.mjs', ...style, ...signs]
  const formatted = execFileSync(process.execPath, args, { cwd: root, input: code })
  await writeFile(join(distDir, 'mayfly.mjs'), formatted)
}

/**
 * Builds and imports the functions that render pages on the server, and copies the pages' pictures
 * to dist/web.
 */
async function buildRenderers() {
  const modules = {
    downloads: 'downloads/render.tsx',
    requests: 'requests/page/render.tsx',
    public: 'public-pages/render.tsx',
    shell: 'pages/shell.tsx',
  }
  await build({
    ...config,
    publicDir: false,
    build: {
      ssr: true,
      ssrEmitAssets: true,
      outDir: rendererDir,
      cssMinify: true,
      // These are the oldest supported browsers. By default, Vite would add fallbacks for older
      // ones.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(modules).map(([name, path]) => [name, join(root, 'src/web', path)]),
        ),
        output: { entryFileNames: '[name].js' },
      },
    },
  })
  await cp(join(rendererDir, 'assets'), join(distDir, 'assets'), { recursive: true })
  const loadRenderer = (name: keyof typeof modules) =>
    import(pathToFileURL(join(rendererDir, `${name}.js`)).href)
  const downloads: { renderDownloadPages: typeof renderDownloadPages } =
    await loadRenderer('downloads')
  const requests: { renderRequestPages: typeof renderRequestPages } = await loadRenderer('requests')
  const pages: { renderPublicPages: typeof renderPublicPages } = await loadRenderer('public')
  const shell: { renderShell: typeof renderShell } = await loadRenderer('shell')
  return { ...downloads, ...requests, ...pages, ...shell }
}

/** Throws if a page refers to an asset that doesn't exist. */
async function checkAssets(html: string) {
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) await access(join(distDir, path))
}

/** Smaller ones take one packet anyway. */
const minCompressedBytes = 1024

/** The best quality would take seconds for larger files, such as the API reference. */
const maxBestBytes = 1_000_000

/**
 * Writes Brotli and gzip copies of compressible files. Skips small files, and templates, which the
 * server fills in.
 */
async function compress() {
  const files = await readdir(distDir, { recursive: true, withFileTypes: true })
  const isCompressible = (name: string) =>
    /\.(m?js|css|svg|json)$/.test(name) || name === 'index.html'
  await Promise.all(
    files
      .filter((file) => file.isFile() && isCompressible(file.name))
      .map(async (file) => {
        const path = join(file.parentPath, file.name)
        const bytes = await readFile(path)
        if (bytes.length < minCompressedBytes) return
        const params = {
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          [constants.BROTLI_PARAM_QUALITY]: bytes.length > maxBestBytes ? 9 : 11,
        }
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

process.env.NODE_ENV = 'production'
const dashboardFiles = await buildApplication()
const { uploadsScript, sendScript } = await buildUploadScripts()
const urls = { uploadsScript, dashboardFiles }
const [renderers, downloadScript, apiDocs, signIn, standard] = await Promise.all([
  buildRenderers(),
  buildScript('downloads/enhance.ts', urls),
  buildScript('public-pages/api-docs-script.ts', urls),
  buildScript('public-pages/sign-in/sign-in-script.ts', urls),
  buildScript('public-pages/page-script.ts', urls),
  buildScript('uploads/kept/share-worker.ts', urls, 'share-worker.js'),
  buildClient(),
  buildIcons(join(root, 'src/web/public/favicon.svg'), distDir),
])
const scripts = { apiDocs, signIn, standard }
const application = await readFile(join(distDir, 'index.html'), 'utf8')
const downloadPages = renderers.renderDownloadPages(downloadScript)
const requestPages = renderers.renderRequestPages({ standard: downloadScript, send: sendScript })
const pages = new Map([
  ['index.html', application.replace('<div id="root"></div>', renderers.renderShell)],
  ['download.html', downloadPages.link],
  ['download-file-row.html', downloadPages.fileRow],
  ['download-invalid.html', downloadPages.invalid],
  ['report.html', downloadPages.report],
  ['request.html', requestPages.request],
  ['request-closed.html', requestPages.closed],
  ['opt-out.html', downloadPages.optOut],
  ...renderers.renderPublicPages(scripts),
])
await rm(rendererDir, { recursive: true })
for (const [file, html] of pages) {
  await checkAssets(html)
  await writeFile(join(distDir, file), html)
}
await compress()
