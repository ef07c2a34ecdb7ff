import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Handler } from 'hono'
import mime from 'mime'
import { appPaths, tokenPaths } from '../../shared/pages.ts'
import { pageHeaders, readBuilt } from './built-pages.ts'
import type { HttpEnv } from './env.ts'
import { nameRoute } from './request-context.ts'
import {
  type Coding,
  makeVariant,
  sendVariant,
  type Variant,
  type Variants,
} from './send-variants.ts'
import { hasSignedInHint } from './session.ts'

/** Serves the files in the web build and the application's pages. */
export type WebFiles = Handler<HttpEnv>

interface WebFile {
  headers: Record<string, string>
  variants: Variants
}

/** The codings in order of preference, each with the file suffix that the build uses. */
const codingSuffixes: readonly [Coding, string][] = [
  ['br', '.br'],
  ['gzip', '.gz'],
  ['identity', ''],
]

/** Shows the dashboard to people who are signed in, and the landing page to everyone else. */
const homePath = '/'

/**
 * Serves the web build in `distDir` from memory, so that requests can't reach any other file. Files
 * with a hash in their name are cached forever. The paths in `shared/pages.ts` get the
 * application's HTML, but `/` only if the browser seems to be signed in.
 * @param pictures further origins for `img-src`, such as those of profile pictures.
 * @param connect further origins for `connect-src`, such as object storage.
 * @throws {StartupError} if the web app hasn't been built.
 */
export function createWebFiles(options: {
  distDir: string
  appUrl: URL
  pictures?: readonly string[]
  connect?: readonly string[]
}): WebFiles {
  const { distDir, appUrl, pictures = [], connect = [] } = options
  const html = readBuilt(distDir, 'index.html')
  const files = readFiles(distDir)
  const variants = readVariants(join(distDir, 'index.html'))
  const makeAppPage = (
    referrer: 'no-referrer' | 'same-origin',
    extraHeaders: Record<string, string> = {},
  ): WebFile => ({
    headers: {
      ...pageHeaders({ html, appUrl, pictures, connect, referrer }),
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      ...extraHeaders,
    },
    variants,
  })
  const defaultPage = makeAppPage('same-origin')
  const dashboardPage = makeAppPage('same-origin', {
    vary: 'Cookie, Accept-Encoding',
    // The dashboard needs the user at once. The browser requests it together with the scripts.
    link: '</api/auth/user>; rel=preload; as=fetch; crossorigin=use-credentials',
  })
  // These pages' URLs contain a secret token from an email, which a referrer could leak to a
  // proxy's log.
  const tokenPage = makeAppPage('no-referrer', { 'x-robots-tag': 'noindex' })
  const pagesByPath = new Map<string, WebFile>(
    appPaths.map((path) => [path, tokenPaths.includes(path) ? tokenPage : defaultPage]),
  )

  return (c, next) => {
    const { path } = c.req
    if (path === homePath) {
      nameRoute(c.env.outgoing, homePath)
      return hasSignedInHint(c) ? sendVariant(c, dashboardPage, 200) : next()
    }
    const file = files.get(path)
    const appPage = pagesByPath.get(path)
    if (file) nameRoute(c.env.outgoing, '/{file of the web}')
    else if (appPage) nameRoute(c.env.outgoing, path)
    const webFile = file ?? appPage
    return webFile ? sendVariant(c, webFile, 200) : next()
  }
}

/**
 * Reads the files that are served under their own path. Excludes HTML, which has placeholders or
 * other headers.
 */
function readFiles(distDir: string): Map<string, WebFile> {
  const entries = readdirSync(distDir, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile() && !/\.(html|br|gz)$/.test(entry.name))
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = `/${relative(distDir, file).split(sep).join('/')}`
        const isHashed = path.startsWith('/assets/')
        return [
          path,
          {
            headers: {
              'content-type': contentType(path),
              'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
              'x-content-type-options': 'nosniff',
              vary: 'Accept-Encoding',
            },
            variants: readVariants(file),
          },
        ]
      }),
  )
}

function contentType(path: string) {
  const type = mime.getType(path) ?? 'application/octet-stream'
  return /^text\/|javascript|json/.test(type) ? `${type}; charset=utf-8` : type
}

function readVariants(file: string): Variants {
  const variants = new Map<Coding, Variant>()
  for (const [coding, suffix] of codingSuffixes) {
    const body = readIfExists(`${file}${suffix}`)
    if (body) variants.set(coding, makeVariant(body))
  }
  return variants
}

function readIfExists(file: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
