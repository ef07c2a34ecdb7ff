import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { computePartChecksum } from '../../../../tests/support/part-checksum.ts'
import { uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import {
  openWholeFileStore,
  sha256,
  transferErrorOf,
  type WholeFileStore,
} from '../../../../tests/support/whole-file-store.ts'
import { maxAttempts } from './retry-policy.ts'

let world: WholeFileStore
beforeEach(async () => {
  world = await openWholeFileStore()
})
afterEach(() => world.close())

describe('a transfer without errors', () => {
  test('is one PUT with the content type, and reports every byte', async () => {
    await world.upload()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
    const checksum = await computePartChecksum(new Blob([world.content]), 'crc32')
    expect(world.store.requests).toEqual([
      { method: 'PUT', range: undefined, type: 'video/mp4', checksum },
    ])
    expect(world.progress.at(-1)).toBe(world.content.length)
  })

  test('sends a slice of the whole file, because browsers may refuse to send a file chosen in another tab', async () => {
    const { send } = world.deps
    const bodies: (Blob | null)[] = []
    world.deps.send = (request) => {
      bodies.push(request.body)
      return send(request)
    }
    await world.upload(new File([world.content], 'photo.jpg'))
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).not.toBeInstanceOf(File)
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test.each([200, 204])('succeeds with %i', async (status) => {
    world.store.setPutFaults([{ kind: 'response', status }])
    await expect(world.upload()).resolves.toBeUndefined()
  })

  test('also sends an empty file', async () => {
    await world.upload(new Blob([]))
    expect(world.methods()).toEqual(['PUT'])
  })
})

describe('the checksum of the body', () => {
  test('is sent in the header that the ticket requires', async () => {
    const ticket = uploadTicket({ uploadUrl: world.url, checksum: 'md5' })
    await world.upload(undefined, { ticket })
    const expectedMd5 = createHash('md5').update(world.content).digest('base64')
    expect(world.store.requests[0]?.checksum).toBe(expectedMd5)
  })

  test('covers the whole file, so it is omitted when continuing', async () => {
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 1_000_000 }])
    await world.upload()
    expect(world.store.requests.map(({ checksum }) => checksum !== undefined)).toEqual([
      true,
      false,
      false,
    ])
  })

  test("is omitted if the browser can't compute it", async () => {
    world.deps.checksums = { part: async () => null }
    await world.upload()
    expect(world.store.requests[0]?.checksum).toBeUndefined()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test.each([
    { status: 409, body: '{"message":"…","code":"CHECKSUM_MISMATCH"}' },
    { status: 400, body: '<?xml version="1.0"?><Error><Code>BadDigest</Code></Error>' },
  ])('causes a body altered in transit ($status) to be resent', async ({ status, body }) => {
    world.store.setPutFaults([{ kind: 'response', status, body }])
    await world.upload()
    expect(world.methods()).toEqual(['PUT', 'HEAD', 'PUT'])
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('causes the transfer to be given up if the body is always altered', async () => {
    const alteredResponse = {
      kind: 'response',
      status: 409,
      body: '{"code":"CHECKSUM_MISMATCH"}',
    } as const
    world.store.setPutFaults(Array.from({ length: 50 }, () => alteredResponse))
    expect(await transferErrorOf(world.upload())).toEqual({ kind: 'status', status: 409 })
    expect(world.methods().filter((method) => method === 'PUT')).toHaveLength(maxAttempts)
  })
})

test('an upload that is already sealed is complete', async () => {
  world.store.setPutFaults([{ kind: 'response', status: 409, body: '{"code":"UPLOAD_SEALED"}' }])
  await expect(world.upload()).resolves.toBeUndefined()
  expect(world.methods()).toEqual(['PUT'])
})
