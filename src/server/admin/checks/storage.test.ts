import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { AppError } from '../../errors.ts'
import type { Storage } from '../../storage/storage.ts'
import { createStores } from '../../storage/stores.ts'
import { TimeoutError } from '../../timeout.ts'
import { checkStorage } from './storage.ts'

const disk: Partial<Storage> = { name: 'disk', check: async () => {} }
const bucket: Partial<Storage> = { name: 's3', check: async () => {} }

const s3 = {
  S3_BUCKET: 'files',
  S3_REGION: 'eu-central-1',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}

/** Checks a server with these stores and environment variables. New files go to the first store. */
function runCheck(stores: readonly Partial<Storage>[], env: Record<string, string> = {}) {
  const [currentStore, ...otherStores] = stores as readonly Storage[]
  const config = readConfig({ DATA_DIR: '/srv/my data', ...env })
  return checkStorage({ config, stores: createStores(currentStore as Storage, ...otherStores) })
}

/** Creates the error that a store throws when its driver fails with this code. */
function createErrorWithCode(code: string) {
  const cause = Object.assign(new Error('told only in the log'), { code })
  return new AppError('UNAVAILABLE', { cause })
}

describe('a store that works', () => {
  it.each([
    ['the disk', disk, {}, 'The folder of DATA_DIR (/srv/my data)'],
    ['a bucket on AWS', bucket, s3, 'The bucket "files" at AWS in eu-central-1'],
    [
      'a bucket at another provider',
      bucket,
      { ...s3, S3_ENDPOINT: 'https://s3.example.org/' },
      'The bucket "files" at https://s3.example.org',
    ],
  ])('is named by its location: %s', async (_, store, env, location) => {
    const [finding, ...otherFindings] = await runCheck([store], env)
    expect(otherFindings).toEqual([])
    expect(finding).toMatchObject({ status: 'ok', cure: '' })
    expect(finding).not.toHaveProperty('about')
    const [, ms, shownLocation] =
      /^Wrote, read and removed an object in (\d+) ms\. (.*) works\.$/.exec(
        finding?.message ?? '',
      ) ?? []
    expect(shownLocation).toBe(location)
    expect(Number(ms)).toBeGreaterThan(0)
  })

  it.each([
    [true, 'warning', 'the bytes of deleted files stay there', 'Suspend versioning'],
    [false, 'ok', ' works.', ''],
  ])('with object versioning (%s) is %s', async (isVersioned, status, message, cure) => {
    const findings = await runCheck([{ ...bucket, hasVersioning: async () => isVersioned }], s3)
    expect(findings).toMatchObject([
      {
        status,
        message: expect.stringContaining(message),
        cure: expect.stringContaining(cure),
      },
    ])
  })
})

describe('a store that fails', () => {
  const foldersText =
    " The folders that it needs are '/srv/my data/files' and '/srv/my data/uploads'."

  it.each([
    [
      'ENOENT',
      disk,
      createErrorWithCode('ENOENT'),
      `Restore the folder, .* Mayfly\\.${foldersText}`,
    ],
    ['ENOSPC', disk, createErrorWithCode('ENOSPC'), `Free space on the disk .*${foldersText}`],
    ['no answer in time', disk, new TimeoutError(1), `Check the disk .*${foldersText}`],
    [
      'NoSuchBucket',
      bucket,
      createErrorWithCode('NoSuchBucket'),
      'Create the bucket, or .* existing one\\.',
    ],
    [
      'no answer in time',
      bucket,
      new TimeoutError(1),
      'Check that the storage is running .*S3_ENDPOINT\\.',
    ],
    ['unknown error', bucket, 'no error', 'Check the S3_ settings, .*'],
  ])('is failing, with a remedy for the error: %s', async (reason, store, error, cure) => {
    const failingStore = { ...store, check: () => Promise.reject(error) }
    expect(await runCheck([failingStore], s3)).toEqual([
      {
        status: 'failing',
        message: expect.stringMatching(
          new RegExp(
            `^The .* failed the test: an object could not be written, read and deleted \\(${reason}\\)\\. Uploads `,
          ),
        ),
        cure: expect.stringMatching(new RegExp(`^${cure}$`)),
      },
    ])
  })

  it("isn't queried for versioning", async () => {
    const error = createErrorWithCode('AccessDenied')
    const hasVersioning = () => Promise.reject(new Error('was asked'))
    const failingStore = { ...bucket, check: () => Promise.reject(error), hasVersioning }
    expect(await runCheck([failingStore], s3)).toMatchObject([{ status: 'failing' }])
  })
})

it('reports files stored before the move to a bucket on their own line', async () => {
  const oldStore = { ...disk, check: () => Promise.reject(createErrorWithCode('EIO')) }
  expect(await runCheck([bucket, oldStore], s3)).toMatchObject([
    { status: 'ok', message: expect.stringContaining('The bucket "files"') },
    {
      about: 'files from before S3_BUCKET',
      status: 'failing',
      message: expect.stringContaining('The folder of DATA_DIR'),
    },
  ])
})
