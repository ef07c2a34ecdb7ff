import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { describeOnSmallDisk } from '../../../tests/support/machine-needs.ts'
import { mountSmallDisk, type SmallDisk } from '../../../tests/support/small-disk.ts'
import { type LogLine, logCollector } from '../../../tests/support/test-log.ts'
import { gibibyte, mebibyte } from '../../shared/rules/format/units.ts'
import { DiskSpace } from './disk-space.ts'
import { defaultMinFree } from './free-space.ts'

describe('the floor where none is set', () => {
  test.each([
    { size: 110 * mebibyte, floor: 512 * mebibyte },
    { size: 25 * gibibyte, floor: 512 * mebibyte },
    { size: 100 * gibibyte, floor: 2 * gibibyte },
  ])('of $size bytes is $floor', ({ size, floor }) => {
    expect(defaultMinFree(size)).toBe(floor)
  })
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

  const open = async (keepsReserve: boolean, minFree: number | null) => {
    const log = pino({}, logCollector(logged))
    const { folder } = disk
    space = await DiskSpace.open({ folder, minFree, takesUploads: true, keepsReserve, log })
    return space
  }
  const reserveHeld = async () => (await stat(join(disk.folder, 'reserve'))).blocks * 512
  const said = () => logged.map(({ msg }) => msg.split(':')[0])
  const until = (check: () => unknown) => eventually(async () => check())

  test('is for uploads above the floor; what they take counts before the next look', async () => {
    await open(false, 30 * mebibyte)
    expect(space.room()).toBe(70 * mebibyte)
    space.take(mebibyte)
    expect(space.room()).toBe(69 * mebibyte)
    await Promise.all([space.look(), space.look(), space.look()])
    // The uploads wrote nothing. So the next read of the disk finds the space free again.
    expect(space.room()).toBe(70 * mebibyte)
    await disk.fill()
    await space.look()
    expect(space.room()).toBe(-30 * mebibyte)
  })

  test('tells once that it is short, and once that this is over', async () => {
    await open(false, 30 * mebibyte)
    space.watch()
    await disk.fill()
    await until(() => expect(space.room()).toBeLessThan(0))
    await until(() => expect(said()).toEqual(['Too little free space']))
    for (let look = 0; look < 10; look += 1) await space.look()
    await disk.clear()
    await until(() => expect(said()).toHaveLength(2))
    expect(said()).toEqual(['Too little free space', 'Enough free space again'])
    expect(logged.map(({ level }) => level)).toEqual([40, 30])
  })

  test('says at the start where more must stay free than the disk has', async () => {
    await open(false, 101 * mebibyte)
    expect(await space.figures()).toEqual({
      free: 100 * mebibyte,
      size: 100 * mebibyte,
      floor: 101 * mebibyte,
      minFree: 101 * mebibyte,
    })
    space.watch()
    await until(() => expect(logged).toHaveLength(1))
    expect(logged[0]).toMatchObject({
      level: 40,
      size: 100 * mebibyte,
      floor: 101 * mebibyte,
      msg: expect.stringMatching(
        /^Too little free space: uploads are refused, since more must stay free than the whole disk has\. Set MIN_FREE_SPACE/,
      ),
    })
  })

  test('leaves what a database needs beside its reserve, though no floor is wanted', async () => {
    await open(true, 0)
    // 24 MiB let the database go on, and 40 MiB are for the reserve that is not filled yet.
    expect(space.room()).toBe(36 * mebibyte)
    space.watch()
    await until(async () => expect(await disk.free()).toBe(60 * mebibyte))
    await until(() => expect(space.room()).toBe(36 * mebibyte))
    await disk.fill()
    // While the disk fills, it may already take space that the reserve gives up.
    await until(async () => expect(await reserveHeld()).toBe(20 * mebibyte))
    await disk.fill()
    await until(() =>
      expect(said()).toContain(
        'The disk is full, and nothing is left to give up. Free some space now',
      ),
    )
    expect(said()).toContain('The disk is full')
    await space.close()
    // Only a start may use the other half of the reserve.
    await open(true, 0)
    expect(await disk.free()).toBe(20 * mebibyte)
    await disk.clear()
    space.watch()
    await until(async () => expect(await disk.free()).toBe(60 * mebibyte))
  })

  test('without a database there it keeps no reserve', async () => {
    await open(false, 0)
    space.watch()
    await disk.fill()
    await until(() => expect(space.room()).toBeLessThanOrEqual(0))
    expect(await disk.free()).toBe(0)
    expect(await readdir(disk.folder)).toEqual(['filler'])
  })
})
