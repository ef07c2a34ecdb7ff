import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { computePartChecksum } from '../../../../tests/support/part-checksum.ts'
import { uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import { partRange, planParts } from '../../../shared/rules/files/part-plan.ts'
import { browserTimers } from '../timers.ts'
import { TransferError, type TransferJob } from '../upload-ports.ts'
import { FileUnreadableError } from './hash-blob.ts'
import { createSendFile, type SendFileDeps } from './send-file.ts'
import { parseErrorCode, type Send } from './storage-request.ts'

const partSize = 300_000
const content = randomBytes(1_700_001)
const { count } = planParts(content.length, partSize)

/**
 * A storage server that keeps each part and rejects outdated signatures and checksum mismatches.
 */
const requests: string[] = []
const parts = new Map<number, Buffer>()
let bodiesToCorrupt = 0
let signCount = 0

const server = createServer(async (req, res) => {
  requests.push(`${req.method} ${req.url}`)
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (bodiesToCorrupt > 0) {
    bodiesToCorrupt -= 1
    body[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 1
  }
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  if (req.headers['x-amz-checksum-crc32'] !== checksum.toString('base64')) {
    return res.writeHead(409).end('{"message":"differs","code":"CHECKSUM_MISMATCH"}')
  }
  parts.set(req.url === '/whole' ? 1 : Number(req.url?.split('/')[1]), body)
  return res.writeHead(200).end()
})

let origin: string
let deps: SendFileDeps

const sendByFetch: Send = async ({ method, url, headers, body, signal }) => {
  const response = await fetch(url, { method, headers, body, signal })
  const status = response.status
  const code = parseErrorCode(await response.text())
  return { kind: 'response', status, code, uploadOffset: null, retryAfterMs: null }
}

beforeEach(async () => {
  requests.length = 0
  parts.clear()
  bodiesToCorrupt = 0
  signCount = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  deps = {
    send: sendByFetch,
    signParts: async ({ partNumbers }) => {
      signCount += 1
      const urls = partNumbers.map((n) => [n, `${origin}/${n}/${signCount}`] as const)
      return { ok: true, value: { urls: Object.fromEntries(urls) } }
    },
    wait: async () => undefined,
    waitWhileUnloading: async () => undefined,
    random: () => 0,
    isServerReady: async () => true,
    timers: browserTimers,
    checksums: { part: computePartChecksum },
  }
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function send(
  ticket: Partial<TransferJob['ticket']>,
  file = new Blob([content]),
  changes: Partial<TransferJob> = {},
) {
  return createSendFile(deps)({
    file,
    ticket: { ...uploadTicket({ uploadUrl: `${origin}/whole` }), ...ticket },
    contentType: 'video/mp4',
    storedParts: [],
    hasOriginalDate: true,
    isResumed: false,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onInterrupted: () => undefined,
    ...changes,
  })
}

function sha256(bytes: Buffer) {
  return createHash('sha256').update(bytes).digest('hex')
}
function getStoredContent() {
  return Buffer.concat([...parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes))
}

test('a single-part file is sent in one PUT', async () => {
  await send({})
  expect(requests).toEqual(['PUT /whole'])
  expect(sha256(getStoredContent())).toBe(sha256(content))
})

test('a larger file is sent in parts that arrive intact even if some are altered in transit', async () => {
  bodiesToCorrupt = 2
  await send({ parts: { size: partSize, count } })
  expect(requests).toHaveLength(count + 2)
  expect(sha256(getStoredContent())).toBe(sha256(content))
  for (const [partNumber, { length }] of parts) {
    expect(length).toBe(partRange(content.length, partSize, partNumber).size)
  }
})

test.each([{}, { parts: { size: partSize, count } }])(
  'a changed file fails as unreadable (%o)',
  async (ticket) => {
    deps.checksums = { part: () => Promise.reject(new FileUnreadableError(null)) }
    const error: unknown = await send(ticket).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TransferError)
    expect(error).toMatchObject({ kind: 'unreadable', status: null })
    expect(requests).toEqual([])
  },
)

test("a file that is unreadable while the browser leaves the page doesn't fail", async () => {
  const controller = new AbortController()
  const reason = new Error('Cancelled by user')
  deps.checksums = { part: () => Promise.reject(new FileUnreadableError(null)) }
  deps.waitWhileUnloading = (signal) => {
    controller.abort(reason)
    return Promise.reject(signal.reason)
  }
  await expect(send({}, undefined, { signal: controller.signal })).rejects.toBe(reason)
})

describe('a single-part file that storage already has', () => {
  const makeStoredParts = (checksum?: string) => [{ partNumber: 1, size: content.length, checksum }]
  const computeContentChecksum = () => computePartChecksum(new Blob([content]), 'crc32')

  test('is not resent if its checksum or its date matches', async () => {
    await send({}, undefined, {
      storedParts: makeStoredParts(await computeContentChecksum()),
      hasOriginalDate: false,
      isResumed: true,
    })
    await send({}, undefined, {
      storedParts: makeStoredParts(),
      hasOriginalDate: true,
      isResumed: true,
    })
    expect(requests).toEqual([])
  })

  test.each(['AAAAAA==', undefined])(
    'in an older version is not confirmed (%s)',
    async (checksum) => {
      const sendPromise = send({}, undefined, {
        storedParts: makeStoredParts(checksum),
        hasOriginalDate: false,
        isResumed: true,
      })
      await expect(sendPromise).rejects.toMatchObject({ kind: 'changed' })
      expect(requests).toEqual([])
    },
  )
})
