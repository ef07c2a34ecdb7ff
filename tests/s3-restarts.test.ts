import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { files } from '../src/server/db/schema.ts'
import { expireFiles } from '../src/server/files/expire-files.ts'
import type { File } from '../src/shared/contract/files.ts'
import { serveApp } from './support/app-server.ts'
import { countStoredBytes } from './support/bucket.ts'
import { logIn, makeClient, makeFile, makePerson, putBytes, startUpload } from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { requestConfirm } from './support/upload-requests.ts'

const day = 24 * 3_600_000

function makeTextBytes(length: number) {
  return new Uint8Array(length).fill(65)
}

describeOnS3('a server switched to S3 and back', () => {
  it('serves, completes and expires files in both stores', async () => {
    const database = await freshDatabase()
    const persistentDatabase = { ...database, drop: () => Promise.resolve() }
    const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-switch-'))
    const bucket = await makeBucket()
    const serveFromDisk = () => serveApp(persistentDatabase, { dataDir })
    const serveFromS3 = () => serveApp(persistentDatabase, { dataDir, env: bucket.env })

    let app = await serveFromDisk()
    const ada = await makePerson(app, { tier: 'premium' })
    const signInAgain = async () => makeClient(app, await logIn(app, ada.email, ada.password))
    const diskFile = await makeFile(ada)
    const openUpload = await startUpload(ada, { size: 10 })
    await putBytes(openUpload, makeTextBytes(10))
    await app.close()

    app = await serveFromS3()
    const s3File = await makeFile(await signInAgain())
    const download = ({ shortCode }: File) => fetch(`${app.url}/api/download/${shortCode}`)
    const downloadBytes = async (file: File) =>
      Buffer.from(await (await download(file)).arrayBuffer())
    expect((await downloadBytes(diskFile)).equals(Buffer.from(diskFile.bytes))).toBe(true)
    expect((await downloadBytes(s3File)).equals(Buffer.from(s3File.bytes))).toBe(true)
    expect((await requestConfirm(await signInAgain(), openUpload.cloudKey)).status).toBe(200)
    expect(await countStoredBytes(bucket)).toBe(1000)
    await app.close()

    app = await serveFromDisk()
    expect((await downloadBytes(diskFile)).equals(Buffer.from(diskFile.bytes))).toBe(true)
    // The server now has no bucket configured. The row for the file in the bucket remains, but its
    // bytes are unavailable.
    expect((await download(s3File)).status).toBe(503)
    const [row] = await app.deps.db.select().from(files).where(eq(files.id, diskFile.id))
    const key = row?.storageKey ?? ''
    expect(await app.disk.storedSize(key)).toBe(1000)
    app.clock.advance(30 * day)
    expect(await expireFiles(app.deps)).toEqual({ purged: 2, failed: 0 })
    expect(await app.disk.storedSize(key)).toBeNull()
    expect(await countStoredBytes(bucket)).toBe(1000)
    await app.close()

    app = await serveFromS3()
    app.clock.advance(30 * day)
    expect(await expireFiles(app.deps)).toEqual({ purged: 1, failed: 0 })
    expect(await countStoredBytes(bucket)).toBe(0)
    await app.close()
    await database.drop()
    await rm(dataDir, { recursive: true })
  })
})
