import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Handler } from 'hono'
import mime from 'mime'
import { pages, tokenPages } from '../../shared/pages.ts'
import { pageHeaders, readBuilt } from './built-pages.ts'
import type { HttpEnv } from './env.ts'
import { nameRoute } from './request-context.ts'
import {
  type Coding,
  sendVariant,
  type Variant,
  type Variants,
  variantOf,
} from './send-variants.ts'
import { hasSignedInHint } from './session.ts'

/**
 * Answers GET and HEAD requests for the files of the built web, and for the screens of the
 * single-page application. It passes all other paths to the next handler.
 */
export type WebFiles = Handler<HttpEnv>

interface WebFile {
  headers: Record<string, string>
  variants: Variants
}

/**
 * The compressions from best to worst, each with the ending of its files. The build writes the
 * compressed files beside each file.
 */
const codings: readonly [Coding, string][] = [
  ['br', '.br'],
  ['gzip', '.gz'],
  ['identity', ''],
]

/** The path of the dashboard. Visitors who are not signed in see the landing page there. */
const home = '/'

/**
 * Serves the built web in `distDir`. It reads all files into memory once, so a request can reach
 * only the files that it found there. Browsers may cache files with a hash in their name for ever.
 * The HTML of the application answers the paths in `shared/pages.ts`. The path `/` is special: if a
 * browser has no hint that somebody is signed in, the next handler answers with the landing page.
 * @param pictures other origins from which the application may load pictures, such as profile
 * pictures.
 * @param connect other origins to which the application may send requests, such as the object
 * storage.
 * @throws {StartupError} when the web is not built.
 */
export function webFiles(options: {
  distDir: string
  appUrl: URL
  pictures?: readonly string[]
  connect?: readonly string[]
}): WebFiles {
  const { distDir, appUrl, pictures = [], connect = [] } = options
  const html = readBuilt(distDir, 'index.html')
  const files = readFiles(distDir)
  const variants = readVariants(join(distDir, 'index.html'))
  const application = (
    referrer: 'no-referrer' | 'same-origin',
    more: Record<string, string> = {},
  ): WebFile => ({
    headers: {
      ...pageHeaders({ html, appUrl, pictures, connect, referrer }),
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      ...more,
    },
    variants,
  })
  const ordinary = application('same-origin')
  const dashboard = application('same-origin', { vary: 'Cookie, Accept-Encoding' })
  // The address of these pages contains a secret token from an email. With `no-referrer`, browsers
  // do not send the address along when they load the page's files. Otherwise the log of a proxy
  // could contain the token. Search engines must not list the address either.
  const silent = application('no-referrer', { 'x-robots-tag': 'noindex' })
  const screens = new Map<string, WebFile>(
    pages.map((path) => [path, tokenPages.includes(path) ? silent : ordinary]),
  )

  return (c, next) => {
    const { path } = c.req
    if (path === home) {
      nameRoute(c.env.outgoing, home)
      return hasSignedInHint(c) ? sendVariant(c, dashboard, 200) : next()
    }
    const file = files.get(path)
    const screen = screens.get(path)
    if (file) nameRoute(c.env.outgoing, '/{file of the web}')
    else if (screen) nameRoute(c.env.outgoing, path)
    const found = file ?? screen
    return found ? sendVariant(c, found, 200) : next()
  }
}

/**
 * Reads the files that are served under their own path. HTML pages are left out, because they are
 * filled in or have special headers.
 */
function readFiles(distDir: string): Map<string, WebFile> {
  const entries = readdirSync(distDir, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile() && !/\.(html|br|gz)$/.test(entry.name))
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = `/${relative(distDir, file).split(sep).join('/')}`
        const forEver = path.startsWith('/assets/')
        return [
          path,
          {
            headers: {
              'content-type': contentType(path),
              'cache-control': forEver ? 'public, max-age=31536000, immutable' : 'no-cache',
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
  const found = new Map<Coding, Variant>()
  for (const [coding, suffix] of codings) {
    const body = readIfThere(`${file}${suffix}`)
    if (body) found.set(coding, variantOf(body))
  }
  return found
}

function readIfThere(file: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(readFileSync(file))
  } catch {
    return undefined
  }
}
