import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Client,
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  sha256,
  startUpload,
} from '../../../tests/support/make.ts'
import { listedFile, takenDown } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { confirm, download, expectRefusal } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { AppError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { createStores } from '../storage/stores.ts'
import { confirmUpload } from '../uploads/confirm-upload.ts'
import { prepareUploads } from '../uploads/prepared-queries.ts'
import { findBlockedContent } from './block-copies.ts'
import { computeDigests } from './compute-digests.ts'

let app: TestApp
let admin: Person
let owner: Person
let visitor: Client
/** How often a run of the job was asked for. */
let asked = 0
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
  owner = await makePerson(app, { tier: 'premium' })
  visitor = makeClient(app)
})
afterAll(() => app.close())

function fresh() {
  return new Uint8Array(randomBytes(1000))
}

/** A disk store that has not read a file yet when it seals it, as on a slow processor. */
function lagging(changes: Partial<Storage> = {}) {
  const storage: Storage = {
    ...app.storage,
    async seal(key, size) {
      await app.storage.seal(key, size)
      return null
    },
    ...changes,
  }
  return {
    ...app.deps,
    ...prepareUploads(app.deps.db),
    stores: createStores(storage),
    askForDigests() {
      asked += 1
    },
  }
}

async function uploaded(bytes: Uint8Array<ArrayBuffer>) {
  const started = await startUpload(owner, { size: bytes.length })
  await putBytes(started, bytes)
  return started.cloudKey
}

function confirmLate(cloudKey: string, claim?: string): Promise<File> {
  return confirmUpload(lagging(), { id: owner.id, tier: 'premium' }, { cloudKey, sha256: claim })
}

async function opens({ shortCode }: File): Promise<boolean> {
  return (await visitor.fetch(`/api/download/${shortCode}`)).status === 200
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((error: unknown) => error)
  return error instanceof AppError ? error.code : 'none'
}

describe('a file whose SHA-256 is not known when it is confirmed', () => {
  it('works at once, and gets its SHA-256 later, once', async () => {
    const bytes = fresh()
    asked = 0
    const file = await confirmLate(await uploaded(bytes))
    expect([file.sha256, asked]).toEqual([null, 1])
    expect(await download(app, file)).toEqual(bytes)
    expect((await listedFile(owner, file.id))?.sha256).toBeNull()
    expect(await computeDigests(app.deps)).toEqual({ computed: 1, failed: 0 })
    expect((await listedFile(owner, file.id))?.sha256).toBe(sha256(bytes))
    const details = await json<File>(await visitor.fetch(`/api/links/${file.shortCode}`))
    expect(details.sha256).toBe(sha256(bytes))
    expect(await computeDigests(app.deps)).toEqual({ computed: 0, failed: 0 })
  })

  it('is compared before the answer if the client names one, also in a second confirm', async () => {
    const bytes = fresh()
    const wrong = await uploaded(bytes)
    expect(await refusalOf(confirmLate(wrong, 'f'.repeat(64)))).toBe('CHECKSUM_MISMATCH')
    expect(await app.storage.storedSize(wrong)).toBeNull()
    asked = 0
    const right = await confirmLate(await uploaded(bytes), sha256(bytes))
    expect([right.sha256, asked]).toEqual([sha256(bytes), 0])

    const key = await uploaded(bytes)
    const file = await confirmLate(key)
    const refused = await confirm(owner, key, { sha256: 'f'.repeat(64) })
    await expectRefusal(refused, 409, 'CHECKSUM_MISMATCH')
    const again = await confirm(owner, key, { sha256: sha256(bytes) })
    expect(again.status).toBe(200)
    expect(await download(app, file)).toEqual(bytes)
    await computeDigests(app.deps)
  })

  it('that cannot be read is tried again, and others do not wait for it', async () => {
    const files = [
      await confirmLate(await uploaded(fresh())),
      await confirmLate(await uploaded(fresh())),
    ]
    let failed = false
    const sometimes = lagging({
      async sha256(key) {
        if (failed) return app.storage.sha256(key)
        failed = true
        throw new Error('the disk does not answer')
      },
    })
    expect(await computeDigests(sometimes)).toEqual({ computed: 1, failed: 1 })
    expect(await computeDigests(app.deps)).toEqual({ computed: 1, failed: 0 })
    for (const { id } of files) expect((await listedFile(owner, id))?.sha256).not.toBeNull()
  })

  it('that was deleted meanwhile is not read', async () => {
    const file = await confirmLate(await uploaded(fresh()))
    await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    expect(await computeDigests(app.deps)).toEqual({ computed: 0, failed: 0 })
  })
})

describe('content that was taken down', () => {
  it('becomes no file, also where its SHA-256 takes long', async () => {
    const bytes = fresh()
    await takenDown(admin, (await makeFile(owner, { bytes })).shortCode)
    const key = await uploaded(bytes)
    expect(await refusalOf(confirmLate(key))).toBe('CONTENT_BLOCKED')
    expect(await app.storage.storedSize(key)).toBeNull()
  })

  it('takes with it the files that have it and whose SHA-256 is not known yet', async () => {
    for (const find of [findBlockedContent, computeDigests]) {
      const bytes = fresh()
      const unknown = await confirmLate(await uploaded(bytes))
      await takenDown(admin, (await makeFile(owner, { bytes })).shortCode)
      await find(app.deps)
      expect(await opens(unknown)).toBe(false)
      expect((await listedFile(owner, unknown.id))?.takedownReason).toBe('It is malware.')
    }
  })

  it('can be a file whose bytes were not found while the storage folder was away', async () => {
    // No blocked content has this size. Otherwise the confirm computes the SHA-256 at once.
    const bytes = new Uint8Array(randomBytes(1001))
    const file = await confirmLate(await uploaded(bytes))
    const away = lagging({ sha256: async () => null })
    expect(await computeDigests(away)).toEqual({ computed: 1, failed: 0 })
    expect(await computeDigests(app.deps)).toEqual({ computed: 0, failed: 0 })
    await takenDown(admin, file.shortCode)
    expect((await listedFile(owner, file.id))?.sha256).toBe(sha256(bytes))
    expect(await refusalOf(confirmLate(await uploaded(bytes)))).toBe('CONTENT_BLOCKED')
  })

  it('can be a file whose SHA-256 is not known yet', async () => {
    const bytes = fresh()
    const file = await confirmLate(await uploaded(bytes))
    await takenDown(admin, file.shortCode)
    expect(await refusalOf(confirmLate(await uploaded(bytes)))).toBe('CONTENT_BLOCKED')
  })
})
