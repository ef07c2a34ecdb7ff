import { encodeExtended, format } from 'content-disposition'

/**
 * The Content-Disposition of a download: saved under this name, never shown. Both forms of the
 * name, always: the exact one, and an ASCII one for clients that only know that.
 */
export function attachment(fileName: string): string {
  const name = fileName.toWellFormed()
  const parameters = {
    filename: name.replace(/[^\x20-\x7e]/gu, '_'),
    'filename*': encodeExtended(name),
  }
  return format({ type: 'attachment', parameters }, { extended: false })
}

/**
 * The Cache-Control of a download. `private` keeps the bytes out of every shared cache. The browser
 * itself may keep what it was given, so that If-None-Match and resuming work, but must ask before
 * each use, and a link that has died meanwhile answers no. `no-transform`: recompressed bytes are
 * not what the ETag names.
 */
export const downloadCaching = 'private, no-cache, no-transform'
