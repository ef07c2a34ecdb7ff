import { formatSize } from '../shared/rules/format/file-size.ts'
import { extractShortCode } from '../shared/rules/links/short-code.ts'
import { authorization, createCall } from './api.ts'
import { CliError, exitCodes, unwrap } from './cli-error.ts'
import { type Settings, toOrigin } from './settings.ts'

/**
 * Parses a link or its code.
 * @param origin the server of a code alone.
 * @throws {CliError} if it is neither.
 */
export function parseLink(text: string, origin: string | null): { origin: string; code: string } {
  const code = extractShortCode(text)
  if (code === null) throw new CliError(`${text} is not a link.`, exitCodes.usage)
  const linkOrigin = text.includes('/') ? toOrigin(text) : origin
  if (linkOrigin === null) throw new CliError(`${text} needs MAYFLY_URL.`, exitCodes.usage)
  return { origin: linkOrigin, code }
}

/** Parses a link of the server in the settings. */
function parseOwnLink(text: string, settings: Settings): string {
  const { origin, code } = parseLink(text, settings.origin)
  if (origin === settings.origin) return code
  throw new CliError(`${text} is not a link of ${settings.origin}.`, exitCodes.usage)
}

function createOwnCall(settings: Settings) {
  return createCall(settings.origin, authorization(settings))
}

/** Prints a line per link: its address, when it expires, its size and its title or file names. */
export async function listLinks(settings: Settings): Promise<void> {
  const call = createOwnCall(settings)
  let cursor: string | null | undefined
  do {
    const outcome = await call('listLinks', { query: cursor ? { cursor } : {} })
    for (const { shortCode, expiresAt, totalSize, title, files } of unwrap(outcome)) {
      const name = title ?? files.map((file) => file.name).join(', ')
      const columns = [`${settings.origin}/s/${shortCode}`, expiresAt, formatSize(totalSize), name]
      process.stdout.write(`${columns.join('\t')}\n`)
    }
    cursor = outcome.next
  } while (cursor)
}

/** Renews a link and prints its new address. */
export async function renewLink(
  link: string,
  expirationDays: number,
  settings: Settings,
): Promise<void> {
  const params = { code: parseOwnLink(link, settings) }
  const call = createOwnCall(settings)
  const { shortCode } = unwrap(await call('renewLink', { params, body: { expirationDays } }))
  process.stdout.write(`${settings.origin}/s/${shortCode}\n`)
}

/** Deletes links with their files. */
export async function removeLinks(links: readonly string[], settings: Settings): Promise<void> {
  const call = createOwnCall(settings)
  for (const code of links.map((link) => parseOwnLink(link, settings))) {
    unwrap(await call('deleteLink', { params: { code } }))
  }
}

/** The options of a request for files. */
export interface RequestOptions {
  title: string
  openDays: number
  message?: string | undefined
  password?: string | undefined
  maxLinks?: number | undefined
}

/** Creates a request for files and prints its address. */
export async function createRequest(options: RequestOptions, settings: Settings): Promise<void> {
  const { url } = unwrap(await createOwnCall(settings)('createRequest', { body: options }))
  process.stdout.write(`${url}\n`)
}
