import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { mountSmallDisk, type SmallDisk } from '../../../tests/support/small-disk.ts'
import { type LogLine, logCollector } from '../../../tests/support/test-log.ts'
import { describeOnSmallDisk } from '../../../tests/support/test-requirements.ts'
import { gibibyte, mebibyte } from '../../shared/rules/format/units.ts'
import { DiskSpace, defaultMinFree, isDiskFull, lowSpaceText } from './disk-space.ts'

describe('the default minimum of free space', () => {
  test.each([
    { size: 110 * mebibyte, minFree: 512 * mebibyte },
    { size: 25 * gibibyte, minFree: 512 * mebibyte },
    { size: 100 * gibibyte, minFree: 2 * gibibyte },
  ])('of $size bytes is $minFree', ({ size, minFree }) => {
    expect(defaultMinFree(size)).toBe(minFree)
  })
})

describe('a full disk', () => {
  const createErrorWithCode = (code: string, cause?: unknown) =>
    Object.assign(new Error('failed', { cause }), { code })

  test('is recognized by its error code, including in the cause of another error', () => {
    for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
      expect(isDiskFull(createErrorWithCode(code))).toBe(true)
      expect(isDiskFull(createErrorWithCode('EIO', createErrorWithCode(code)))).toBe(true)
    }
    for (const otherError of [
      createErrorWithCode('ENOENT'),
      createErrorWithCode('53300'),
      new Error('ENOSPC'),
      null,
      'ENOSPC',
    ]) {
      expect(isDiskFull(otherError)).toBe(false)
    }
  })
})

test('the startup message explains why all uploads are rejected', () => {
  const disk = { free: gibibyte, size: 10 * gibibyte, operatorMinFree: 0 }
  expect(lowSpaceText({ ...disk, minFree: gibibyte - 1 })).toBeNull()
  expect(lowSpaceText({ ...disk, minFree: gibibyte })).toBe(
    'All uploads are refused for now: 1GB must stay free on the disk of DATA_DIR, and only 1 GB are. The checks in the Admin Center say what to do.',
  )
  expect(lowSpaceText({ ...disk, minFree: 10 * gibibyte })).toMatch(
    /^All uploads are refused: 10GB must stay free .*, and the whole disk has 10 GB\. Set MIN_FREE_SPACE/,
  )
})

describeOnSmallDisk('the free space of a disk', () => {
  let disk: SmallDisk
  let space: DiskSpace
  let logged: LogLine[]
  beforeEach(async () => {
    disk = await mountSmallDisk(100 * mebibyte)
    logged = []
  })
  afterEach(async () => {
    await space.close()
    await disk.close()
  })

  const open = async (hasReserve: boolean, minFree: number | null) => {
    const log = pino({}, logCollector(logged))
    const { folder } = disk
    space = await DiskSpace.open({ folder, minFree, storesUploads: true, hasReserve, log })
    return space
  }
  const readReserveSize = async () => (await stat(join(disk.folder, 'reserve'))).blocks * 512
  const loggedMessages = () => logged.map(({ msg }) => msg.split(':')[0])
  const waitFor = (check: () => unknown) => eventually(async () => check())

  test('is available to uploads, except for the minimum and the bytes reserved since the last reading', async () => {
    await open(false, 30 * mebibyte)
    expect(space.availableBytes()).toBe(70 * mebibyte)
    expect(space.reserveSpace(mebibyte)).toBe(true)
    expect(space.availableBytes()).toBe(69 * mebibyte)
    await Promise.all([space.readStatus(), space.readStatus(), space.readStatus()])
    // The uploads haven't used the space they reserved, so measuring the disk again finds that
    // space free.
    expect(space.availableBytes()).toBe(70 * mebibyte)
    expect(space.reserveSpace(71 * mebibyte)).toBe(false)
    await disk.fill()
    expect(await space.hasSpaceFor(71 * mebibyte)).toBe(false)
    expect(space.availableBytes()).toBe(-30 * mebibyte)
  })

  test('is logged once when it runs short and once when it recovers', async () => {
    await open(false, 30 * mebibyte)
    space.watch()
    await disk.fill()
    await waitFor(() => expect(space.availableBytes()).toBeLessThan(0))
    await waitFor(() => expect(loggedMessages()).toEqual(['Too little free space']))
    for (let index = 0; index < 10; index += 1) await space.readStatus()
    await disk.clear()
    await waitFor(() => expect(loggedMessages()).toHaveLength(2))
    expect(loggedMessages()).toEqual(['Too little free space', 'Enough free space again'])
    expect(logged.map(({ level }) => level)).toEqual([40, 30])
  })

  test('is logged with a remedy if the minimum is larger than the disk', async () => {
    await open(false, 101 * mebibyte)
    expect(await space.readStatus()).toEqual({
      free: 100 * mebibyte,
      size: 100 * mebibyte,
      minFree: 101 * mebibyte,
      operatorMinFree: 101 * mebibyte,
    })
    space.watch()
    await waitFor(() => expect(logged).toHaveLength(1))
    expect(logged[0]).toMatchObject({
      level: 40,
      size: 100 * mebibyte,
      minFree: 101 * mebibyte,
      msg: expect.stringMatching(
        /^Too little free space: uploads are refused\. The whole disk is smaller than the minimum\. Set MIN_FREE_SPACE/,
      ),
    })
  })

  test('excludes what the database needs, even if the minimum is 0', async () => {
    await open(true, 0)
    // Of the 100 MiB free, 24 MiB is set aside for the database, and the reserve takes 40 MiB.
    expect(space.availableBytes()).toBe(36 * mebibyte)
    space.watch()
    await waitFor(async () => expect(await disk.freeBytes()).toBe(60 * mebibyte))
    await waitFor(() => expect(space.availableBytes()).toBe(36 * mebibyte))
    await disk.fill()
    // While the test fills the disk, it may also use the space that shrinking the reserve frees.
    await waitFor(async () => expect(await readReserveSize()).toBe(20 * mebibyte))
    await disk.fill()
    await waitFor(() =>
      expect(logged.map(({ msg }) => msg)).toContain(
        'Disk full: no reserve left to free. Free some space now',
      ),
    )
    expect(logged.map(({ msg }) => msg)).toContain(
      'Disk full: freed a part of the reserve. Free some space',
    )
    await space.close()
    // The other half of the reserve is freed only when the server starts.
    await open(true, 0)
    expect(await disk.freeBytes()).toBe(20 * mebibyte)
    await disk.clear()
    space.watch()
    await waitFor(async () => expect(await disk.freeBytes()).toBe(60 * mebibyte))
  })

  test('has no reserve without an embedded database', async () => {
    await open(false, 0)
    space.watch()
    await disk.fill()
    await waitFor(() => expect(space.availableBytes()).toBeLessThanOrEqual(0))
    expect(await disk.freeBytes()).toBe(0)
    expect(await readdir(disk.folder)).toEqual(['filler'])
  })
})
