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
import type { renderPublicPages } from '../src/web/public-pages/render.tsx'
import type { renderRequestPages } from '../src/web/requests/page/render.tsx'
import { buildIcons } from './build-icons.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const distDir = join(root, 'dist/web')
const rendererDir = join(root, 'node_modules/.cache/pages')

const config: InlineConfig = { configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }

type BuildResult = Awaited<ReturnType<typeof build>>

function getOutputs(result: BuildResult) {
  return 'output' in result ? result.output : []
}

/**
 * Builds the app together with the scripts for uploads on prerendered pages, so that they share
 * chunks. Returns the scripts' URL paths, and those of the files that the dashboard loads first.
 */
async function buildApplication() {
  const sources = {
    uploads: join(root, 'src/web/built-pages/uploads.tsx'),
    send: join(root, 'src/web/requests/page/send-files.tsx'),
  }
  const input = [join(root, 'src/web/index.html'), ...Object.values(sources)]
  const buildResult = await build({
    ...config,
    build: { license: { fileName: 'licenses.md' }, rolldownOptions: { input } },
  })
  const chunks = getOutputs(buildResult).flatMap((output) =>
    output.type === 'chunk' ? [output] : [],
  )
  const findScript = (source: string) => {
    const script = chunks.find(({ facadeModuleId }) => facadeModuleId === source)
    if (script === undefined) throw new Error(`Expected a script of ${source}.`)
    return script.fileName
  }
  const listFiles = (fileName: string): string[] => {
    const chunk = chunks.find((chunk) => chunk.fileName === fileName)
    const styles = [...(chunk?.viteMetadata?.importedCss ?? [])]
    return [fileName, ...styles, ...(chunk?.imports ?? []).flatMap(listFiles)]
  }
  const firstSources = ['index.html', 'pages/dashboard.tsx'].map((path) =>
    join(root, 'src/web', path),
  )
  return {
    uploadsScript: `/${findScript(sources.uploads)}`,
    sendScript: `/${findScript(sources.send)}`,
    dashboardFiles: [...new Set(firstSources.map(findScript).flatMap(listFiles))].map(
      (file) => `/${file}`,
    ),
  }
}

type ScriptUrls = Pick<
  Awaited<ReturnType<typeof buildApplication>>,
  'uploadsScript' | 'dashboardFiles'
>

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
  const [file, ...extraScripts] = getOutputs(buildResult).filter(({ type }) => type === 'chunk')
  if (file === undefined || extraScripts.length > 0)
    throw new Error(`Expected one script of ${source}.`)
  return `/${file.fileName}`
}

/** Builds the command line client as one readable file, formatted like the sources. */
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
        output: { minify: false, comments: false },
      },
    },
  })
  const [chunk] = getOutputs(buildResult)
  if (chunk?.type !== 'chunk') throw new Error('Expected one script of the client.')
  const code = chunk.code
    .replaceAll('/* @__PURE__ */ ', '')
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
  return { ...downloads, ...requests, ...pages }
}

/** Throws if a page refers to an asset that doesn't exist. */
async function checkAssets(html: string) {
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) await access(join(distDir, path))
}

/**
 * Writes Brotli and gzip copies of compressible files. Skips templates, which the server fills in.
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
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

process.env.NODE_ENV = 'production'
const { sendScript, ...urls } = await buildApplication()
const downloadScript = await buildScript('downloads/enhance.ts', urls)
const scripts = {
  apiDocs: await buildScript('public-pages/api-docs-script.ts', urls),
  signIn: await buildScript('public-pages/sign-in/sign-in-script.ts', urls),
  standard: await buildScript('public-pages/page-script.ts', urls),
}
await buildScript('uploads/kept/share-worker.ts', urls, 'share-worker.js')
await buildClient()
await buildIcons(join(root, 'src/web/public/favicon.svg'), distDir)

const renderers = await buildRenderers()
const downloadPages = renderers.renderDownloadPages(downloadScript)
const requestPages = renderers.renderRequestPages({ standard: downloadScript, send: sendScript })
const pages = new Map([
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
