import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { multipartUpload, singleUpload } from '../../../../tests/support/disk-uploads.ts'
import { type HttpResponse, send, statusAndErrorCode } from '../../../../tests/support/send.ts'
import { getRequest, sendWithoutReading } from '../../../../tests/support/unread-sockets.ts'

const MiB = 1024 ** 2

describe('above the transfer limit', () => {
  let disk: DiskServer
  beforeEach(async () => {
    disk = await openDiskServer()
  })
  afterEach(() => disk.close())
  const forwardedFrom = (address: string) => ({ 'X-Forwarded-For': address })

  it('a download gets 503 until others end, while other clients are served', async () => {
    const upload = singleUpload(disk, 12 * MiB)
    await upload.put(Buffer.alloc(12 * MiB))
    await upload.seal()
    const url = await disk.downloadUrl(disk.downloadGrant(upload.key, 12 * MiB))
    const get = (address: string) =>
      send(url, { headers: { ...forwardedFrom(address), Range: 'bytes=0-9' } })
    const unreadDownloads = await sendWithoutReading(
      url,
      () => getRequest(url, forwardedFrom('192.0.2.1')),
      171,
    )
    await expect.poll(() => disk.storage.transfers.activeCount()).toBe(171)

    const rejectedResponse = await get('192.0.2.1')
    expect(statusAndErrorCode(rejectedResponse)).toEqual([503, 'TOO_MANY_TRANSFERS'])
    expect(rejectedResponse.headers['retry-after']).toBe('10')
    expect((await get('192.0.2.2')).status).toBe(206)
    // Two refusals within a minute produce only one log entry.
    await get('192.0.2.1')
    const running = { downloads: 171, uploads: 0 }
    expect(disk.logLines).toMatchObject([{ level: 40, running, client: '192.0.2.1' }])
    disk.clock.advance(60_000)
    await get('192.0.2.1')
    expect(disk.logLines).toHaveLength(2)

    unreadDownloads.reset()
    await disk.storage.transfers.waitForIdle()
    expect((await get('192.0.2.1')).status).toBe(206)
  })

  it('a part gets 503, and running uploads complete', async () => {
    const upload = multipartUpload(disk, 87, 16)
    const headers = forwardedFrom('192.0.2.1')
    const openUploads = await Promise.all(
      upload.partNumbers.slice(0, 85).map((part) => upload.open(part, headers)),
    )
    for (const { client } of openUploads) client.flushHeaders()
    await expect.poll(() => disk.touchedKeys.length).toBe(85)

    expect(statusAndErrorCode(await upload.put(86, headers))).toEqual([503, 'TOO_MANY_TRANSFERS'])
    expect((await upload.put(86, forwardedFrom('192.0.2.2'))).status).toBe(200)
    for (const [index, { client }] of openUploads.entries()) client.end(upload.partBytes(index + 1))
    const responses = await Promise.all(openUploads.map(({ outcome }) => outcome))
    for (const response of responses) expect(response).toMatchObject({ status: 200 })
    expect((await upload.put(87, headers)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })

  it('a HEAD for the stored size gets 503, while other clients are served', async () => {
    const lookupGate = Promise.withResolvers<void>()
    disk.lookupUnblocked = lookupGate.promise
    const upload = multipartUpload(disk, 1, 16)
    const urls = [await upload.single.url(), await upload.partUrl(1)]
    const rejections: HttpResponse[] = []
    const sendHead = async (address: string, urlIndex: number) => {
      const response = await send(urls[urlIndex % 2] ?? '', {
        method: 'HEAD',
        headers: forwardedFrom(address),
      })
      if (response.status !== 200) rejections.push(response)
    }
    const requests = Array.from({ length: 90 }, (_, index) => sendHead('192.0.2.1', index))
    await expect.poll(() => rejections.length).toBe(5)
    expect(disk.touchedKeys).toHaveLength(85)
    for (const { status, headers } of rejections) {
      expect([status, headers['retry-after']]).toEqual([503, '10'])
    }
    const otherClients = [sendHead('192.0.2.2', 0), sendHead('192.0.2.2', 1)]
    await expect.poll(() => disk.touchedKeys.length).toBe(87)

    lookupGate.resolve()
    await Promise.all([...requests, ...otherClients])
    await sendHead('192.0.2.1', 0)
    expect(rejections).toHaveLength(5)
  })
})
