import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, listParts, makePerson, putBytes, sha256 } from '../../../tests/support/make.ts'
import {
  expectGoesOn,
  onDisk,
  sendAll,
  sendParts,
  startInParts,
} from '../../../tests/support/parted-uploads.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { abort, confirm, download, expectRefusal } from '../../../tests/support/upload-requests.ts'
import type { File } from '../../shared/contract/files.ts'
import { createStores } from '../storage/stores.ts'
import { confirmUpload } from './confirm-upload.ts'
import { prepareUploads } from './prepared-queries.ts'
import { retryRemovals } from './retry-removals.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the SHA-256 of a file', () => {
  it('is kept as storage computes it, whether or not it is claimed', async () => {
    const person = await makePerson(app)
    for (const claim of [{}, 'claimed']) {
      const { cloudKey, bytes } = await sendAll(app, person)
      const more = claim === 'claimed' ? { sha256: sha256(bytes) } : {}
      const file = await json<File>(await confirm(person, cloudKey, more))
      expect(file.sha256).toBe(sha256(bytes))
      const again = await json<File>(await confirm(person, cloudKey, { sha256: sha256(bytes) }))
      expect(again).toEqual(file)
      await expectRefusal(
        await confirm(person, cloudKey, { sha256: 'f'.repeat(64) }),
        409,
        'CHECKSUM_MISMATCH',
      )
      expect(await download(app, file)).toEqual(bytes)
    }
  })

  it.each(['', 'x', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 7, null, {}])(
    'is not %j: that claim is refused, and the bytes stay',
    async (claim) => {
      const person = await makePerson(app)
      const upload = await sendAll(app, person)
      const refused = await confirm(person, upload.cloudKey, { sha256: claim })
      await expectRefusal(refused, 400, 'INVALID_INPUT')
      await expectGoesOn(app, person, upload)
    },
  )

  it('removes bytes that differ from the claim, which can be sent anew', async () => {
    const person = await makePerson(app)
    const upload = await startInParts(app, person)
    await sendParts(person, { ...upload, bytes: new Uint8Array(25) }, [1, 2, 3])
    const claim = { sha256: sha256(upload.bytes) }
    const refused = await confirm(person, upload.cloudKey, claim)
    await expectRefusal(refused, 409, 'CHECKSUM_MISMATCH')
    expect(await onDisk(app, upload.cloudKey)).toEqual([])
    expect(await listParts(person, upload.cloudKey)).toEqual([])
    await expectRefusal(await confirm(person, upload.cloudKey, claim), 400, 'UPLOAD_INCOMPLETE')
    expect((await putBytes(upload, upload.bytes)).status).toBe(200)
    const file = await json<File>(await confirm(person, upload.cloudKey, claim))
    expect(await download(app, file)).toEqual(upload.bytes)
  })

  it('never removes a file, whichever of two different claims comes first', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    for (let round = 0; round < 10; round += 1) {
      const { cloudKey, bytes } = await sendAll(app, person)
      const claims = [sha256(bytes), 'f'.repeat(64), sha256(bytes), 'e'.repeat(64)]
      const answers = await Promise.all(
        claims.map((claim) => confirm(person, cloudKey, { sha256: claim })),
      )
      for (const [at, answer] of answers.entries()) {
        const right = claims[at] === sha256(bytes)
        if (right && answer.ok) expect(await download(app, await json<File>(answer))).toEqual(bytes)
        // A parallel call with a wrong SHA-256 came first and removed the bytes.
        else if (answer.status === 400) await expectRefusal(answer, 400, 'UPLOAD_INCOMPLETE')
        // It is just removing them.
        else if (answer.status === 503) await expectRefusal(answer, 503, 'UNAVAILABLE')
        else expect({ right, status: answer.status }).toEqual({ right: false, status: 409 })
      }
    }
    const files = await json<File[]>(await person.fetch('/api/files'))
    await Promise.all(files.map((file) => download(app, file)))
  })

  describe('that differs from the claim, while storage removes the bytes for long', () => {
    /** Confirms with a wrong claim, and removes the bytes by `remove`. */
    const confirmWrongly = async (
      person: { id: string },
      cloudKey: string,
      remove: (key: string) => Promise<void>,
    ) => {
      const stores = createStores({ ...app.storage, remove })
      const deps = { ...app.deps, ...prepareUploads(app.deps.db), stores }
      const owner = { id: person.id, tier: 'premium' } as const
      return confirmUpload(deps, owner, { cloudKey, sha256: 'f'.repeat(64) }).catch(
        (error) => error,
      )
    }

    it('makes no file of bytes that go, also after Postgres has ended all waits', async () => {
      const person = await makePerson(app, { tier: 'premium' })
      const upload = await sendAll(app, person)
      const claim = { sha256: sha256(upload.bytes) }
      const error = await confirmWrongly(person, upload.cloudKey, async (key) => {
        await app.deps.db.execute(sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`)
        await expectRefusal(await confirm(person, key, claim), 503, 'UNAVAILABLE')
        await app.storage.remove(key)
      })
      expect(error).toMatchObject({ code: 'CHECKSUM_MISMATCH' })
      await expectRefusal(await confirm(person, upload.cloudKey, claim), 400, 'UPLOAD_INCOMPLETE')
      expect((await putBytes(upload, upload.bytes)).status).toBe(200)
      const file = await json<File>(await confirm(person, upload.cloudKey, claim))
      expect(await download(app, file)).toEqual(upload.bytes)
    })

    it('leaves them to the job where storage fails, and then they can be sent anew', async () => {
      const person = await makePerson(app, { tier: 'premium' })
      const [upload, given] = [await sendAll(app, person), await sendAll(app, person)]
      const claim = { sha256: sha256(upload.bytes) }
      for (const { cloudKey } of [upload, given]) {
        const fails = () => Promise.reject(new Error('EIO'))
        expect(await confirmWrongly(person, cloudKey, fails)).toMatchObject({ message: 'EIO' })
        await expectRefusal(await confirm(person, cloudKey, claim), 503, 'UNAVAILABLE')
      }
      expect((await abort(person, given.cloudKey)).status).toBe(200)
      app.clock.advance(3 * 60_000)
      expect(await retryRemovals(app.deps)).toEqual({ removed: 1, failed: 0 })
      expect(await onDisk(app, upload.cloudKey)).toEqual([])
      await expectRefusal(await confirm(person, upload.cloudKey, claim), 400, 'UPLOAD_INCOMPLETE')
      expect((await putBytes(upload, upload.bytes)).status).toBe(200)
      expect((await confirm(person, upload.cloudKey, claim)).status).toBe(200)
    })
  })

  it('is what the client claims where storage does not see the bytes', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const blind = {
      ...app.storage,
      computesSha256: false,
      seal: async (key: string, size: number) => {
        await app.storage.seal(key, size)
        return null
      },
    }
    const deps = { ...app.deps, ...prepareUploads(app.deps.db), stores: createStores(blind) }
    const owner = { id: person.id, tier: 'premium' } as const
    for (const claim of ['a'.repeat(64), undefined]) {
      const { cloudKey } = await sendAll(app, person)
      const file = await confirmUpload(deps, owner, { cloudKey, sha256: claim })
      expect(file.sha256).toBe(claim ?? null)
    }
  })
})
