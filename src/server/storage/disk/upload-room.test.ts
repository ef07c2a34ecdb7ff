import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DiskServer,
  expectAllQuiet,
  openDiskServer,
} from '../../../../tests/support/disk-server.ts'
import { cutUpload, wholeUpload } from '../../../../tests/support/disk-uploads.ts'
import { sha256 } from '../../../../tests/support/make.ts'
import { refusalOf } from '../../../../tests/support/send.ts'
import { testClock } from '../../../../tests/support/test-clock.ts'
import { type TestSpace, testSpace } from '../../../../tests/support/test-space.ts'
import { UploadRoom } from './upload-room.ts'

const MiB = 1024 * 1024
const gibibyte = 1024 * MiB
const minute = 60_000

describe('room that is promised', () => {
  let space: TestSpace
  let room: UploadRoom
  const clock = testClock()
  beforeEach(() => {
    space = testSpace(100)
    room = new UploadRoom(space, clock)
  })

  it('is promised once: to all who ask at the same time together no more than there is', async () => {
    const asked = ['a', 'b', 'c', 'd'].map((key) => room.promise(key, 40))
    expect(await Promise.all(asked)).toEqual([true, true, false, false])
    expect(await room.promise('e', 20)).toBe(true)
    expect(await room.promise('f', 1)).toBe(false)
  })

  it('is replaced by what the same key asks for anew', async () => {
    await room.promise('a', 40)
    expect(await room.promise('a', 100)).toBe(true)
    expect(await room.promise('a', 101)).toBe(false)
    expect(await room.promise('a', 10)).toBe(true)
    expect(await room.promise('b', 90)).toBe(true)
  })

  it('shrinks with what arrives, and ends with its upload', async () => {
    await room.promise('a', 100)
    expect(room.take('a', 60)).toBe(true)
    expect(space.left).toBe(40)
    expect(await room.promise('b', 1)).toBe(false)
    room.forget('a')
    expect(await room.promise('b', 40)).toBe(true)
  })

  it('is taken again by who was promised it, and by nobody below the floor', async () => {
    await room.promise('a', 100)
    // Other programs took most of the space, so less is left than was promised. Still the upload
    // may use what is left above the minimum of free space.
    space.left = 30
    expect(await room.promise('a', 100)).toBe(true)
    expect(room.take('a', 30)).toBe(true)
    expect(room.take('a', 1)).toBe(false)
    expect(await room.promise('a', 70)).toBe(false)
    expect(await room.promise('empty', 0)).toBe(false)
  })

  it('lapses 15 minutes after the last byte', async () => {
    await room.promise('a', 50)
    await room.promise('b', 50)
    clock.advance(14 * minute)
    room.take('b', 10)
    clock.advance(2 * minute)
    expect(await room.promise('c', 51)).toBe(false)
    expect(await room.promise('c', 50)).toBe(true)
  })

  it('is promised to one account up to half, its largest upload aside', async () => {
    space.left = 16 * gibibyte
    expect(await room.promise('large', 10 * gibibyte, 'ada')).toBe(true)
    expect(await room.promise('a', 2 * gibibyte, 'ada')).toBe(true)
    const more = () => room.promise('b', 2 * gibibyte, 'ada')
    await expect(more()).rejects.toMatchObject({ code: 'UPLOADS_UNFINISHED' })
    expect(await room.promise('b', 2 * gibibyte, 'bob')).toBe(true)
    // What has arrived does not count, and bytes alone do not make an upload somebody else's.
    room.take('large', 10 * gibibyte)
    expect(await room.promise('a', gibibyte)).toBe(true)
    room.forget('b')
    expect(await more()).toBe(true)
    await expect(room.promise('c', 1.5 * gibibyte, 'ada')).rejects.toThrow()
  })

  it('is not promised anew to all uploads of which only bytes tell', async () => {
    space.left = 8 * gibibyte
    const keys = ['a', 'b', 'c', 'd']
    const asked = keys.map((key) => room.promise(key, 2 * gibibyte))
    expect(await Promise.all(asked)).toEqual([true, true, false, false])
  })

  it('is left as far as no upload was promised it, and never less than none', async () => {
    expect(await room.left()).toBe(100)
    await room.promise('a', 60)
    expect(await room.left()).toBe(40)
    space.found = async () => 30
    expect(await room.left()).toBe(0)
    clock.advance(15 * minute)
    expect(await room.left()).toBe(30)
  })

  it('is looked for on the disk once more before it is refused', async () => {
    space.left = 0
    space.found = async () => 50
    expect(await room.promise('a', 50)).toBe(true)
  })
})

describe('bytes that arrive while the disk fills', () => {
  let disk: DiskServer
  beforeAll(async () => {
    disk = await openDiskServer()
  })
  afterAll(() => disk.close())
  beforeEach(() => {
    disk.space.left = Number.POSITIVE_INFINITY
  })

  it('of a whole file: 507 before the floor, what is stored stays and is continued', async () => {
    const upload = wholeUpload(disk, 4 * MiB)
    const bytes = randomBytes(4 * MiB)
    disk.space.left = 4 * MiB
    const { ended, write, client } = await upload.open({ 'Content-Length': bytes.length })
    await write(bytes.subarray(0, MiB))
    await upload.untilStored(MiB)
    disk.space.left = MiB
    client.end(bytes.subarray(MiB))
    expect(await ended).toMatchObject({ status: 507, code: 'STORAGE_FULL' })
    const held = await upload.offset()
    expect(held).toBeGreaterThanOrEqual(MiB)
    expect(held).toBeLessThanOrEqual(2 * MiB)
    const rest = { Range: `bytes=${held}-` }
    disk.space.left = 0
    expect(refusalOf(await upload.put(bytes.subarray(held), rest))).toEqual([507, 'STORAGE_FULL'])
    expect(await upload.offset()).toBe(held)
    disk.space.left = 4 * MiB - held
    expect((await upload.put(bytes.subarray(held), rest)).status).toBe(200)
    expect(await upload.seal()).toBe(sha256(bytes))
    await expectAllQuiet(disk)
  })

  it('of parts: the one without room is not held, the others are', async () => {
    const of = cutUpload(disk, 3, MiB)
    await of.put(1)
    disk.space.left = MiB / 2
    expect(refusalOf(await of.put(2))).toEqual([507, 'STORAGE_FULL'])
    expect(await of.held()).toEqual([1])
    disk.space.left = 2 * MiB
    for (const partNumber of [2, 3]) expect((await of.put(partNumber)).status).toBe(200)
    expect(await of.seal()).toBe(of.sha256)
  })

  it('and says so in words that tell what to do', async () => {
    const upload = wholeUpload(disk, 5)
    disk.space.left = 4
    const answer = await upload.put('hello')
    expect(answer.status).toBe(507)
    expect(String(answer.body)).toContain('Its operator has to make room')
    expect(disk.logged.filter(({ level }) => level >= 50)).toEqual([])
  })
})
