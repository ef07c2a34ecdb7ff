import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeDownloadHead } from './download-headers.ts'
import type { DownloadGrant, OnBytes, RangeTarget, Storage } from './storage.ts'
import type { Transfers } from './transfers.ts'
import { writeNow } from './write-now.ts'
import { layoutZip, type ZipEntry, type ZipLayout } from './zip-layout.ts'

/** A file in an archive, and where its bytes are stored. */
export interface ZipFile extends ZipEntry {
  storage: Pick<Storage, 'sendRange'>
  key: string
}

/** An archive of sealed files. `version` identifies exactly its bytes. */
export interface ZipArchive extends Pick<DownloadGrant, 'fileName' | 'version'> {
  files: readonly ZipFile[]
}

interface ZipExchange {
  request: IncomingMessage
  response: ServerResponse
  onBytes?: OnBytes | undefined
}

/**
 * Answers a GET or HEAD with a ZIP archive or a single range of it, honoring conditional headers.
 * Counts as a download in the limits and metrics of `transfers`. If a file is missing or can't be
 * read, destroys the connection, so that no client takes the archive for complete. Resolves when
 * the response has been sent or the client has disconnected. Never rejects.
 */
export function sendZip(
  transfers: Transfers,
  archive: ZipArchive,
  exchange: ZipExchange,
): Promise<void> {
  const { request, response } = exchange
  const layout = layoutZip(archive.files)
  const grant = { ...archive, size: layout.size, mimeType: 'application/zip', createdAt: null }
  return transfers.respond(request, response, () =>
    transfers.run('download', response, async () => {
      if (response.destroyed) return
      const range = await writeDownloadHead(grant, exchange)
      if (range) await sendSlices(layout.slices(range), archive.files, response, transfers)
      response.end()
    }),
  )
}

async function sendSlices(
  slices: ReturnType<ZipLayout['slices']>,
  files: readonly ZipFile[],
  response: ServerResponse,
  transfers: Transfers,
): Promise<void> {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  const target: RangeTarget = {
    response,
    onSent: (count) => transfers.addSentBytes(count),
    disconnected: controller.signal,
  }
  for (const slice of slices) {
    if (response.destroyed) return
    if (Buffer.isBuffer(slice)) {
      const { sent, flushed } = writeNow(slice, response)
      target.onSent(sent)
      await flushed
    } else {
      const { storage, key } = files[slice.entry] as ZipFile
      await storage.sendRange(key, slice, target)
    }
  }
}
