import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../../tests/support/open-fresh-database.ts'
import { testClock } from '../../../../tests/support/test-clock.ts'
import type { StorageName } from '../../../shared/rules/files/storage-name.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'
import { recordBackup } from '../../backup/last-backup.ts'
import { readConfig } from '../../config/config.ts'
import { settings } from '../../db/schema.ts'
import { readInstallation } from '../../settings/queries.ts'
import type { Storage } from '../../storage/storage.ts'
import { createStores } from '../../storage/stores.ts'
import { checkBackups } from './backups.ts'

const clock = testClock(new Date('2026-03-01T12:00:00Z'))

let server: FreshDatabase
beforeAll(async () => {
  server = await openFreshDatabase()
})
afterEach(() => server.db.delete(settings))
afterAll(() => server.close())

async function runCheck({ store = 'disk', databaseUrl = server.url } = {}) {
  const [finding, ...otherFindings] = await checkBackups({
    clock,
    config: readConfig({ DATA_DIR: '/srv/my data', DATABASE_URL: databaseUrl }),
    db: server.db,
    stores: createStores({ name: store as StorageName } as Storage),
  })
  expect(otherFindings).toEqual([])
  return finding
}

function timestampAgo(ms: number): string {
  return new Date(clock().getTime() - ms).toISOString()
}

const backupCommand = expect.stringMatching(
  /^.*is in '\/srv\/my data'\. Run "npm run backup FOLDER" \("mayfly backup FOLDER".*"npm run backup -- --record-only" .* after each/,
)

describe('without any backup', () => {
  it('the check shows a hint on an unused server', async () => {
    expect(await runCheck()).toMatchObject({ status: 'ok', cure: '' })
  })

  it('the check shows a hint for 7 days, then a warning', async () => {
    await readInstallation(server.db, clock())
    clock.advance(7 * dayInMs)
    expect(await runCheck()).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(
        /^No backup is recorded\. This server is new: a warning comes after 7 days\. .*npm run backup FOLDER/,
      ),
      cure: '',
    })
    clock.advance(1)
    expect(await runCheck()).toEqual({
      status: 'warning',
      message: 'No backup is recorded. This server has been in use for 7 days.',
      cure: backupCommand,
    })
  })

  it.each([
    ['both local', { databaseUrl: '', store: 'disk' }, "is in '/srv/my data'"],
    ['a remote database and local files', { store: 'disk' }, "is in '/srv/my data'"],
    [
      'a local database and files in a bucket',
      { databaseUrl: '', store: 's3' },
      "is in '/srv/my data'",
    ],
    ['both possibly remote', { store: 's3' }, 'in the database and the bucket'],
  ])(
    'the check shows a warning whether the database and files are local or remote: %s',
    async (_, options, location) => {
      await readInstallation(server.db, new Date(timestampAgo(8 * dayInMs)))
      expect(await runCheck(options)).toMatchObject({
        status: 'warning',
        message: expect.stringContaining('No backup is recorded.'),
        cure: expect.stringMatching(
          new RegExp(`${location}.*npm run backup FOLDER.*--record-only`),
        ),
      })
    },
  )
})

describe('the last backup', () => {
  it.each([
    ['made just now', 0, 1, 'ok', 'Last backup 1 second ago, 1 file.'],
    ['made 7 days ago', 7 * dayInMs, 1204, 'ok', 'Last backup 7 days ago, 1,204 files.'],
    [
      'made more than 7 days ago',
      7 * dayInMs + 1,
      3,
      'warning',
      'Last backup 7 days ago, 3 files.',
    ],
  ])('%s', async (_, ageMs, objects, status, message) => {
    await recordBackup(server.pool, { madeAt: timestampAgo(ageMs), objects, faults: 0 })
    expect(await runCheck()).toEqual(
      status === 'ok'
        ? { status, message: `${message} Keep it on another machine.`, cure: '' }
        : {
            status,
            message,
            cure: expect.stringMatching(
              /npm run backup FOLDER.*a read-only replica is not recorded.*-- --record-only/,
            ),
          },
    )
  })

  it('is also checked if the database and files are remote', async () => {
    await recordBackup(server.pool, { madeAt: timestampAgo(8 * dayInMs), objects: 1, faults: 0 })
    expect(await runCheck({ store: 's3' })).toMatchObject({ status: 'warning' })
  })

  it.each([1, 2])('is an immediate warning if it lacks bytes of %i files', async (faults) => {
    await recordBackup(server.pool, { madeAt: timestampAgo(0), objects: 5, faults })
    const filesText = faults === 1 ? '1 file' : '2 files'
    expect(await runCheck()).toMatchObject({
      status: 'warning',
      message: expect.stringContaining(`Last backup 1 second ago, 5 files. It lacks ${filesText} `),
      cure: expect.stringContaining('again with a new folder'),
    })
  })

  it("isn't replaced by one that began earlier and took longer", async () => {
    await recordBackup(server.pool, { madeAt: timestampAgo(dayInMs), objects: 2, faults: 0 })
    await recordBackup(server.pool, { madeAt: timestampAgo(2 * dayInMs), objects: 1, faults: 0 })
    expect((await runCheck())?.message).toContain('Last backup 24 hours ago, 2 files.')
  })

  it('can be made by another program and recorded by hand', async () => {
    await recordBackup(server.pool, { madeAt: timestampAgo(0), objects: 0, faults: 0, by: 'other' })
    expect(await runCheck()).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('Last backup 1 second ago, made by another program.'),
    })
    clock.advance(7 * dayInMs + 1)
    expect((await runCheck())?.status).toBe('warning')
  })
})
