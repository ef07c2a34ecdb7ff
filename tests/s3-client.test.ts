import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runClient } from './support/client.ts'
import { makeKey } from './support/keys.ts'
import { makePerson } from './support/make.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { startTestApp } from './support/test-app.ts'

describeOnS3('the command line client of a server with a bucket', () => {
  it('uploads and downloads files of any size', async () => {
    const app = await startTestApp({ env: (await makeBucket()).env })
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-client-'))
    const { key } = await makeKey(await makePerson(app, { tier: 'premium' }))
    const env = { MAYFLY_URL: app.url, MAYFLY_KEY: key, XDG_CONFIG_HOME: folder }
    const files = { large: randomBytes(20 * 1024 ** 2), small: Buffer.from('text'), empty: '' }
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
    const names = Object.keys(files)
    const put = await runClient(['put', ...names], { env, cwd: folder })
    expect(put).toMatchObject({ code: 0, stderr: '' })
    const target = join(folder, 'target')
    const get = await runClient(['get', put.stdout.trim(), '-o', target], { env })
    expect(get).toMatchObject({ code: 0 })
    // The server computes the SHA-256 of an object in a bucket later.
    expect(get.stderr.trim().split('\n')).toHaveLength(names.length)
    for (const name of names) {
      const [sent, received] = [join(folder, name), join(target, name)]
      expect((await readFile(sent)).equals(await readFile(received))).toBe(true)
    }
    await app.close()
    await rm(folder, { recursive: true })
  })
})
