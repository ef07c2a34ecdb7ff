import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '../../../tests/support/test-clock.ts'
import { testSpace } from '../../../tests/support/test-space.ts'
import type { S3Settings } from '../config/s3-settings.ts'
import { openStores } from './open-stores.ts'
import { storeOfNewFiles } from './stores.ts'

/** Settings for an unreachable bucket: nothing listens on this port. */
const unreachableBucket: S3Settings = {
  bucket: 'files',
  region: 'us-east-1',
  endpoint: new URL('http://127.0.0.1:1'),
  publicEndpoint: null,
  credentials: { accessKeyId: 'nobody', secretAccessKey: 'x' },
  forcePathStyle: true,
}

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-stores-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

function open(s3: S3Settings | null) {
  return openStores({
    settings: { s3 },
    dataDir,
    appUrl: new URL('http://127.0.0.1:3000'),
    secret: 'a secret',
    clock: testClock(),
    log: pino({ level: 'silent' }),
    uploads: { touch: async () => true },
    clientAddress: () => '127.0.0.1',
    shedLoad() {},
    space: testSpace(),
  })
}

async function openPathsInDataDir(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd')
  const targets = await Promise.all(
    descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return targets.filter((target) => target.startsWith(dataDir))
}

it('new files go to the configured bucket, or to the disk if there is none', () => {
  expect(storeOfNewFiles({ s3: null })).toBe('disk')
  expect(storeOfNewFiles({ s3: unreachableBucket })).toBe('s3')
})

describe('without a bucket', () => {
  it('the disk is the only store, and pages use no other origin', async () => {
    const { stores, disk, origins, close } = await open(null)
    expect(stores.current).toBe(disk)
    expect(stores.all).toEqual([disk])
    expect(origins).toEqual([])
    // Older rows may refer to a bucket that is no longer configured.
    expect(() => stores.get('s3')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
    await close()
    expect(await openPathsInDataDir()).toEqual([])
  })
})

describe('an unusable bucket', () => {
  it('aborts startup and leaves no file of the disk store open', async () => {
    await expect(open(unreachableBucket)).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining('The bucket "files" at http://127.0.0.1:1/'),
    })
    expect(await openPathsInDataDir()).toEqual([])
  })
})
