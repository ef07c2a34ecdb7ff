import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runAdd } from './support/add-command.ts'
import { makeClient, makePerson, sha256 } from './support/make.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { startTestApp } from './support/test-app.ts'

describeOnS3('files on the machine of a server with a bucket', () => {
  it('become a link whose bytes are in the bucket', async () => {
    const { env } = await makeBucket()
    const app = await startTestApp({ env })
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-add-'))
    const { email } = await makePerson(app, { tier: 'premium' })
    // Large enough for two parts.
    const bytes = randomBytes(10 * 1024 ** 2)
    await writeFile(join(folder, 'file'), bytes)
    const { code, stdout, stderr } = await runAdd(
      app,
      [join(folder, 'file'), '--owner', email],
      env,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Added 1 file.\n' })
    const path = new URL(stdout.trim()).pathname.replace('/s/', '/api/download/')
    const response = await makeClient(app).fetch(path, { redirect: 'follow' })
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes))
    await app.close()
    await rm(folder, { recursive: true })
  })
})
