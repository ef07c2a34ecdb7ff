import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Context, Handler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import mime from 'mime'
import { pages, tokenPages } from '../../shared/pages.ts'
import { readBuilt } from './dist.ts'
import type { HttpEnv } from './env.ts'
import { pageHeaders } from './page-headers.ts'

/**
 * Answers GET and HEAD for the files and pages of the built web. For any other path it calls the
 * next handler, which answers 404.
 */
export type WebFiles = Handler<HttpEnv>

interface Variant {
  body: Uint8Array<ArrayBuffer>
  etag: string
}

type Coding = 'br' | 'gzip' | 'identity'

interface WebFile {
  headers: Record<string, string>
  variants: Map<Coding, Variant>
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

/**
 * Serves the built web in `distDir`, which it reads into memory once. Files with a hash in their
 * name may be cached forever. The application's HTML answers its own paths (`shared/pages.ts`) and,
 * with status 404, any other path that a browser opens. A request can reach only files that were
 * found in the folder.
 * @param pictures other origins whose pictures the application shows, such as those of people.
 * @param connect other origins that the application sends requests to, such as the object storage.
 * @throws {StartFault} when the web is not built.
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
  const application = (referrer: 'no-referrer' | 'same-origin'): WebFile => ({
    headers: {
      ...pageHeaders({ html, appUrl, pictures, connect, referrer }),
      'cache-control': 'no-cache',
      vary: 'Accept, Accept-Encoding',
    },
    variants,
  })
  const ordinary = application('same-origin')
  // The address of these pages holds a secret token from a mail. Browsers must not send that
  // address along when they load the page's files, because a proxy would log it.
  const silent = application('no-referrer')
  const screens = new Map<string, WebFile>(
    pages.map((path) => [path, tokenPages.includes(path) ? silent : ordinary]),
  )

  return (c, next) => {
    const file = files.get(c.req.path)
    if (file) return send(c, file, 200)
    if (c.req.path.startsWith('/assets/')) return next()
    const screen = screens.get(c.req.path)
    if (screen) return send(c, screen, 200)
    return c.req.header('accept')?.includes('text/html') ? send(c, ordinary, 404) : next()
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

function readVariants(file: string): Map<Coding, Variant> {
  const found = new Map<Coding, Variant>()
  for (const [coding, suffix] of codings) {
    const body = readIfThere(`${file}${suffix}`)
    if (!body) continue
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
    found.set(coding, { body, etag: `"${hash}"` })
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

/**
 * RFC 9110 §12.5.3: returns the best compression that the client accepts, first by the client's
 * weights, then by our order.
 */
function chooseCoding(acceptEncoding: string | undefined, file: WebFile): Coding {
  const weights = new Map(
    parseAccept(acceptEncoding ?? '').map(({ type, q }) => [type.toLowerCase(), q]),
  )
  const weight = (coding: Coding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? 0.001 : 0)
  const [best] = [...file.variants.keys()]
    .filter((coding) => weight(coding) > 0)
    .sort((a, b) => weight(b) - weight(a))
  return best ?? 'identity'
}

function send(c: Context<HttpEnv>, file: WebFile, status: 200 | 404) {
  const coding = chooseCoding(c.req.header('accept-encoding'), file)
  const variant = file.variants.get(coding)
  if (!variant) return c.notFound()
  const headers: Record<string, string> = { ...file.headers, etag: variant.etag }
  if (coding !== 'identity') headers['content-encoding'] = coding
  if (status === 200 && matches(c.req.header('if-none-match'), variant.etag)) {
    return c.body(null, 304, headers)
  }
  return c.body(variant.body, status, {
    ...headers,
    'content-length': String(variant.body.length),
  })
}

/** RFC 9110 §13.1.2: ignores the mark `W/`, because a proxy may have added it. */
function matches(ifNoneMatch: string | undefined, etag: string) {
  return (
    ifNoneMatch?.split(',').some((tag) => {
      const strong = tag.trim().replace(/^W\//, '')
      return strong === etag || strong === '*'
    }) === true
  )
}
