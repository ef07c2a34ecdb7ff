import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { findLine } from '../../../../tests/support/check-lines.ts'
import { json, makePerson, type Person } from '../../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts'
import type { CheckResult } from '../../../shared/contract/checks.ts'
import { readConfig } from '../../config/config.ts'
import { settings } from '../../db/schema.ts'
import { DiskSpace, readFreeSpace } from '../../space/disk-space.ts'
import { checkFreeSpace } from './free-space.ts'

const megabyte = 1024 ** 2

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => app.close())

describe('the free space', () => {
  /**
   * Runs the check on the real disk. `chooseMinFree` computes the minimum free space from the
   * disk's current state.
   */
  const runCheck = async (chooseMinFree: (space: { free: number; size: number }) => number) => {
    const { dataDir: folder, databaseUrl } = app.deps.config
    const minFree = Math.floor(chooseMinFree(await readFreeSpace(folder)))
    const { log } = app.deps
    const disk = { folder, minFree, storesUploads: true, hasReserve: false, log } as const
    const config = readConfig({
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl ?? '',
      MIN_FREE_SPACE: String(minFree),
    })
    const findings = await checkFreeSpace({
      ...app.deps,
      config,
      space: await DiskSpace.open(disk),
    })
    return findings[0]
  }

  it('is failing below MIN_FREE_SPACE, a warning below twice that, and ok above', async () => {
    const oversizedFinding = await runCheck(({ size }) => 2 * size)
    expect(oversizedFinding).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/more than the whole disk has: uploads are refused\.$/),
      cure: expect.stringMatching(
        /^No removal can help: .*MIN_FREE_SPACE is .*"Minimum free space"/,
      ),
    })
    const findingBelowMinimum = await runCheck(({ free, size }) => (free + size) / 2)
    expect(findingBelowMinimum).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(/that must stay free: uploads are refused\.$/),
      cure: expect.stringMatching(/Reports.*Users.*Maintenance.*the larger counts\.$/),
    })
    // These values are far from where the status changes, because other programs use this disk too.
    expect(await runCheck(({ free }) => 0.75 * free)).toMatchObject({ status: 'warning' })
    expect(await runCheck(({ free }) => 0.25 * free)).toMatchObject({ status: 'ok' })
    expect(await runCheck(() => 0)).toMatchObject({ status: 'ok', cure: '' })
  })
})

describe('a disk too small for the tier limits', () => {
  /** Simulates a disk with this many bytes left for uploads. */
  const simulateFreeSpace = (bytes: number) => {
    const minFree = 30 * megabyte
    const diskStatus = { size: 4096 * megabyte, minFree, operatorMinFree: minFree }
    const freeBytes = minFree + bytes
    vi.spyOn(app.deps.space, 'readStatus').mockResolvedValue({ ...diskStatus, free: freeBytes })
  }
  const fetchLine = async () => {
    const response = await admin.fetch('/api/admin/checks?fresh=true')
    return findLine(await json<CheckResult[]>(response), 'Free space')
  }
  const countFailing = async () => {
    const response = await admin.fetch('/api/admin/waiting')
    return (await json<{ failingChecks: number }>(response)).failingChecks
  }

  it("is a warning if only Premium files don't fit, and failing if Free files don't fit either", async () => {
    expect((await fetchLine()).status).toBe('ok')
    const failingCountBefore = await countFailing()
    simulateFreeSpace(700 * megabyte)
    expect(await fetchLine()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(
        /: a file larger than 700 MB is refused now, though Premium allows 1GB\.$/,
      ),
    })
    expect(await countFailing()).toBe(failingCountBefore)
    simulateFreeSpace(57 * megabyte)
    expect(await fetchLine()).toMatchObject({
      status: 'failing',
      message: expect.stringMatching(
        /a file larger than 57 MB is refused now, though Free allows 500MB and Premium allows 1GB\.$/,
      ),
      cure: expect.stringMatching(/Reports.*enlarge the disk.*lower "Size of a file" under Limits/),
    })
    expect(await countFailing()).toBe(failingCountBefore + 1)

    // The remedy says to lower the file size limits. This tests that doing so is enough.
    simulateFreeSpace(100 * megabyte)
    for (const key of ['free_max_file_size', 'premium_max_file_size']) {
      expect((await admin.post('/api/admin/settings', { key, value: '100MB' })).status).toBe(200)
    }
    expect(await fetchLine()).toMatchObject({ status: 'ok', cure: '' })
    expect(await countFailing()).toBe(failingCountBefore)
    await app.deps.db.delete(settings)
    app.deps.settings.clearCache()
  })
})
