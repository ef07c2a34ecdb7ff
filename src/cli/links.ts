import type { Outcome } from '../web/uploads/upload-errors.ts'
import { unwrap } from './cli-error.ts'
import { type Options, openServer, parseLink, type Settings } from './settings.ts'

/** Prints a line per link: its address, when it expires, its size and its title or file names. */
export async function ls(_args: string[], _options: Options, settings: Settings): Promise<void> {
  const { origin, call } = openServer(settings)
  let cursor: string | undefined
  do {
    const outcome = await call('GET /api/links', { query: cursor ? { cursor } : {} })
    for (const { shortCode, expiresAt, totalSize, title, files } of unwrap(outcome)) {
      const name = title ?? files.map((file) => file.name).join(', ')
      console.log([`${origin}/s/${shortCode}`, expiresAt, totalSize, name].join('\t'))
    }
    cursor = outcome.headers?.['x-next-cursor']?.toString()
  } while (cursor)
}

/** Renews a link and prints its new address. */
export async function renew(
  [link = '']: string[],
  { days }: Options,
  settings: Settings,
): Promise<void> {
  const { origin, call } = openServer(settings)
  const input = { params: parseLink(link, settings, true), body: { expirationDays: days } }
  const outcome = await call('PATCH /api/links/{code}/renew', input)
  console.log(`${origin}/s/${unwrap(outcome).shortCode}`)
}

/** Deletes links with their files. If one can't be deleted, the others still are. */
export async function rm(links: string[], _options: Options, settings: Settings): Promise<void> {
  const { call } = openServer(settings)
  const outcomes: Outcome<unknown>[] = []
  for (const params of links.map((link) => parseLink(link, settings, true))) {
    outcomes.push(await call('DELETE /api/links/{code}', { params }))
  }
  outcomes.forEach(unwrap)
}

/** Creates a request for files and prints its address. */
export async function request(
  [title = '']: string[],
  { days = 7, limit, message, password }: Options,
  settings: Settings,
): Promise<void> {
  const body = { title, openDays: days, maxLinks: limit, message, password }
  console.log(unwrap(await openServer(settings).call('POST /api/requests', { body })).url)
}
