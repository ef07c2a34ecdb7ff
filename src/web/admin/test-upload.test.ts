import { describe, expect, it, test } from 'vitest'
import type { StorageAnswer, StorageRequest } from '../uploads/transfer/storage-request.ts'
import { sentText, testUpload, testUploadBytes, type UploadWorld } from './test-upload.ts'

const answered = { code: null, uploadOffset: null, retryAfterMs: null }

function status(status: number, code: string | null = null): StorageAnswer {
  return { ...answered, kind: 'answer', status, code }
}

/** Simulates a browser on a page of files.example.org, and a storage that gives this answer. */
function world(answer: StorageAnswer, changes: Partial<UploadWorld> = {}) {
  const sent: StorageRequest[] = []
  const asked: string[] = []
  let ms = 0
  const made: UploadWorld = {
    start: async () => ({ uploadUrl: 'https://bucket.example.org/key?signature=x' }),
    send: async (request) => {
      sent.push(request)
      request.onSent?.(testUploadBytes)
      ms += 420
      return answer
    },
    isOnline: () => true,
    isReachable: async (origin) => {
      asked.push(origin)
      return false
    },
    origin: 'https://files.example.org',
    now: () => ms,
    ...changes,
  }
  return { made, sent, asked }
}

function outcome(answer: StorageAnswer, changes: Partial<UploadWorld> = {}) {
  return testUpload(world(answer, changes).made, () => undefined)
}

describe('the test of an upload', () => {
  it.each([200, 204])('sends what it announced, and tells how long it took (%i)', async (code) => {
    const announced: unknown[] = []
    const { made, sent } = world(status(code))
    const progress: number[] = []
    const start: UploadWorld['start'] = async (file) => {
      announced.push(file)
      return { uploadUrl: '/storage/key?signature=x' }
    }
    const done = await testUpload({ ...made, start }, (bytes) => progress.push(bytes))
    expect(done).toEqual({ ok: true, text: '1 MB sent in 0.4 s' })
    expect(announced).toEqual([
      { fileName: 'storage-test.bin', fileSize: 1024 ** 2, fileType: 'application/octet-stream' },
    ])
    expect(sent[0]).toMatchObject({
      method: 'PUT',
      url: 'https://files.example.org/storage/key?signature=x',
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(sent[0]?.body?.size).toBe(1024 ** 2)
    expect(progress).toEqual([1024 ** 2])
  })

  it('hints at missing write permission on status 403', async () => {
    expect(await outcome(status(403, 'AccessDenied'))).toMatchObject({
      ok: false,
      text: 'Direct S3 upload failed with status 403',
      note: expect.stringMatching(/\(AccessDenied\).*lacks write permission.*s3:PutObject/),
    })
  })

  it('speaks of no bucket where the storage is this server', async () => {
    const start = async () => ({ uploadUrl: '/storage/key' })
    const note = async (code: number) => {
      const failed = await outcome(status(code), { start })
      expect(failed.text).toBe(`Upload failed with status ${code}`)
      return failed.note
    }
    expect(await note(403)).toMatch(/clocks and AUTH_SECRET.*write permission in DATA_DIR/)
    expect(await note(507)).toMatch(/free space in DATA_DIR/)
    for (const code of [403, 404, 507]) expect(await note(code)).not.toMatch(/s3:|bucket|key/i)
  })

  it('names the status and the code of any other refusal', async () => {
    expect(await outcome(status(404, 'NoSuchBucket'))).toEqual({
      ok: false,
      text: 'Direct S3 upload failed with status 404',
      note: 'Storage refused the bytes (NoSuchBucket). Test the storage connection for details.',
    })
    expect((await outcome(status(507))).note).toMatch(/^Storage refused the bytes\. .*free space/)
  })

  it('tells a CORS failure from a storage that is out of reach', async () => {
    const cors = await outcome({ kind: 'network' }, { isReachable: async () => true })
    expect(cors.text).toBe('Direct S3 upload failed')
    expect(cors.note).toMatch(
      /^bucket\.example\.org answers, .* origin https:\/\/files\.example\.org .*CORS rule/,
    )
    // Some storages send no CORS headers with a refusal.
    expect(cors.note).toMatch(/lacks write permission.*s3:PutObject.*check CORS/)
    const { made, asked } = world({ kind: 'network' })
    const away = await testUpload(made, () => undefined)
    expect(away.note).toMatch(/^bucket\.example\.org cannot be reached .*S3_PUBLIC_ENDPOINT/)
    expect(asked).toEqual(['https://bucket.example.org'])
  })

  it('says that the browser is offline, and asks nobody then', async () => {
    const { made, asked } = world({ kind: 'network' }, { isOnline: () => false })
    const offline = await testUpload(made, () => undefined)
    expect(offline.note).toMatch(/^This browser is offline/)
    expect(asked).toEqual([])
  })

  it('speaks of no CORS rule where the storage is this server', async () => {
    const start = async () => ({ uploadUrl: '/storage/key' })
    const cut = await outcome({ kind: 'network' }, { start, isReachable: async () => true })
    expect(cut).toEqual({
      ok: false,
      text: 'Upload failed',
      note: expect.stringMatching(/^The connection was cut/),
    })
  })

  it.each([{ kind: 'timeout' }, { kind: 'stalled' }] as const)(
    'says so after a %j',
    async (late) => {
      expect((await outcome(late)).note).toMatch(
        /^bucket\.example\.org did not take the bytes within/,
      )
    },
  )

  it('passes on that the server gave no URL', async () => {
    const start = () => Promise.reject(new Error('no URL'))
    await expect(outcome(status(200), { start })).rejects.toThrow('no URL')
  })
})

test.each([
  [0, '1 MB sent in 0.1 s'],
  [449, '1 MB sent in 0.4 s'],
  [12_345, '1 MB sent in 12.3 s'],
])('a duration of %i ms', (ms, text) => expect(sentText(1024 ** 2, ms)).toBe(text))
