import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../../tests/support/disk-server.ts'
import { cutUpload, wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { refusalOf, send } from '../../../../tests/support/send.ts'
import { askWithoutReading, getRequest } from '../../../../tests/support/unread-sockets.ts'
import { mayBegin, TransferCeiling } from './transfer-ceiling.ts'
import { type Ceiling, transferLimits } from './transfer-limits.ts'

const MiB = 1024 ** 2
const { downloads, uploads } = transferLimits

/**
 * Returns how many transfers one client gets at most if this many clients all ask again and again.
 */
function most({ total, always }: Ceiling, clients: number): number {
  const held = Array.from({ length: clients }, () => 0)
  let all = 0
  for (let refused = 0; refused < clients; ) {
    refused = 0
    for (const [client, ofClient] of held.entries()) {
      if (mayBegin({ total, always }, { all, ofClient })) {
        held[client] = ofClient + 1
        all += 1
      } else refused += 1
    }
  }
  return Math.max(...held)
}

describe('the ceiling of transfers', () => {
  it.each([
    [downloads, 1, 171],
    [downloads, 2, 128],
    [downloads, 8, 52],
    [downloads, 30, 16],
    [uploads, 1, 85],
    [uploads, 14, 16],
  ])('%j gives each of %i greedy clients %i', (ceiling, clients, each) => {
    expect(most(ceiling, clients)).toBe(each)
  })

  it('is never passed, and gives every client its part while there is room', () => {
    const clients = fc.array(fc.nat(40), { maxLength: 2000 })
    fc.assert(
      fc.property(clients, (steps) => {
        const ceiling = { total: 100, always: 4 }
        const held = new Map<number, number>()
        let all = 0
        for (const client of steps) {
          const ofClient = held.get(client) ?? 0
          const may = mayBegin(ceiling, { all, ofClient })
          if (ofClient < ceiling.always) expect(may).toBe(all < ceiling.total)
          held.set(client, ofClient + Number(may))
          all += Number(may)
          expect(all).toBeLessThanOrEqual(ceiling.total)
        }
      }),
    )
  })

  it('counts what runs, by IPv4 address and by the /64 of IPv6', () => {
    const ceiling = new TransferCeiling({ total: 5, always: 1 })
    const ends = ['2001:db8::1', '2001:db8::2'].map((address) => ceiling.begin(address))
    expect(() => ceiling.begin('2001:db8::3')).toThrow('Too many')
    for (const other of ['2001:db8:0:1::1', '::ffff:192.0.2.1', '192.0.2.3']) ceiling.begin(other)
    expect(() => ceiling.begin('192.0.2.2')).toThrow('Too many')
    for (const end of ends) end()
    ceiling.begin('192.0.2.2')
    expect(() => ceiling.begin('192.0.2.1')).toThrow('Too many')
  })
})

describe('past the ceiling', () => {
  let disk: DiskServer
  beforeEach(async () => {
    disk = await openDiskServer()
  })
  afterEach(() => disk.close())
  const from = (address: string) => ({ 'X-Forwarded-For': address })

  it('a download is told to come again; others are served, and so is its client when some have ended', async () => {
    const upload = wholeUpload(disk, 16 * MiB)
    await upload.put(Buffer.alloc(16 * MiB))
    await upload.seal()
    const url = await disk.storage.signDownload(disk.downloadGrant(upload.key, 16 * MiB))
    const get = (address: string) =>
      send(url, { headers: { ...from(address), Range: 'bytes=0-9' } })
    const unread = await askWithoutReading(url, () => getRequest(url, from('192.0.2.1')), 171)
    await expect.poll(() => disk.storage.activeTransfers()).toBe(171)

    const refused = await get('192.0.2.1')
    expect(refusalOf(refused)).toEqual([503, 'TOO_MANY_TRANSFERS'])
    expect(refused.headers['retry-after']).toBe('10')
    expect((await get('192.0.2.2')).status).toBe(206)
    // The operator gets one line in the log for many refusals.
    await get('192.0.2.1')
    const running = { downloads: 171, uploads: 0 }
    expect(disk.logged).toMatchObject([{ level: 40, running, client: '192.0.2.1' }])
    disk.clock.advance(60_000)
    await get('192.0.2.1')
    expect(disk.logged).toHaveLength(2)

    unread.leave()
    await disk.storage.idle()
    expect((await get('192.0.2.1')).status).toBe(206)
  })

  it('a part is told to come again, and nothing of what runs is lost', async () => {
    const upload = cutUpload(disk, 87, 16)
    const headers = from('192.0.2.1')
    const open = await Promise.all(
      upload.partNumbers.slice(0, 85).map((part) => upload.open(part, headers)),
    )
    for (const { client } of open) client.flushHeaders()
    await expect.poll(() => disk.touched.length).toBe(85)

    expect(refusalOf(await upload.put(86, headers))).toEqual([503, 'TOO_MANY_TRANSFERS'])
    expect((await upload.put(86, from('192.0.2.2'))).status).toBe(200)
    for (const [index, { client }] of open.entries()) client.end(upload.bytesOf(index + 1))
    const answers = await Promise.all(open.map(({ ended }) => ended))
    for (const answer of answers) expect(answer).toMatchObject({ status: 200 })
    expect((await upload.put(87, headers)).status).toBe(200)
    expect(await upload.seal()).toBe(upload.sha256)
  })
})
