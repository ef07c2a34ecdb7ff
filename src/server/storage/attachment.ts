import { encodeExtended, format } from 'content-disposition'

/**
 * Returns the Content-Disposition of a download, which makes browsers save the file under this name
 * and never show it. It always has both forms of the name: the exact one, and one in ASCII for
 * clients that know only that.
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
 * may keep them, so that it can resume a download and need not repeat one. But it must ask the
 * server before each use, and the server refuses after the link has ended. `no-transform` forbids
 * proxies to recompress, since the ETag stands for the exact bytes.
 */
export const downloadCaching = 'private, no-cache, no-transform'
