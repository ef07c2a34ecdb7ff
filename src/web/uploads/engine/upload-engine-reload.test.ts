import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile, handleFor } from '../../../../tests/support/upload-fixtures.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

/** Reloads the page while these files are being sent. Returns their record IDs. */
async function reloadWhileSending(picked: Parameters<EngineWorld['add']>[0]) {
  const ids = await world.addStalled(picked)
  world.reload()
  await advanceTime(0)
  return ids
}

describe('after a reload', () => {
  test('running and waiting uploads are paused and ask for their files', async () => {
    await reloadWhileSending([fakeFile('a.txt'), fakeFile('b.txt')])
    expect(world.statuses()).toEqual(['a.txt paused', 'b.txt paused'])
    expect(world.state().records.map(({ need }) => need)).toEqual(['file', 'file'])
    expect(world.pageBlocks).toBe(0)
  })
})

describe('a failed upload after a reload', () => {
  test('keeps its error, asks for its file, and continues once the file is provided', async () => {
    world.onStart = () => failedOutcome(507)
    world.add([fakeFile('a.txt')])
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'failed', need: null }])
    world.reload()
    await advanceTime(0)
    const [failed] = world.state().records
    expect(failed).toMatchObject({ status: 'failed', need: 'file', error: expect.any(String) })
    world.onStart = () => null
    await world.engine.provideFile(failed?.id ?? '', { file: fakeFile('a.txt') })
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt completed'])
  })

  test('needs no file if the browser kept a handle', async () => {
    world.onStart = () => failedOutcome(507)
    const file = fakeFile('a.txt')
    world.add([{ file, handle: handleFor(file) }])
    await advanceTime(0)
    world.reload()
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'failed', need: null }])
  })
})

describe('a file provided again after a reload', () => {
  test('continues from the stored bytes', async () => {
    const [id = ''] = await reloadWhileSending([fakeFile('a.txt', 30)])
    await advanceTime(0)
    world.onList = () => ({ ok: true, value: { parts: [{ partNumber: 1, size: 20 }] } })
    const storedParts: unknown[] = []
    world.onSend = (job) => void storedParts.push(job.storedParts)
    await world.engine.provideFile(id, { file: fakeFile('a.txt', 30) })
    await advanceTime(0)
    expect(storedParts).toEqual([[{ partNumber: 1, size: 20 }]])
    expect(world.tickets).toBe(1)
    expect(world.statuses()).toEqual(['a.txt completed'])
  })

  test('is rejected by name if it is a different file', async () => {
    const [id = ''] = await reloadWhileSending([fakeFile('a.txt')])
    await world.engine.provideFile(id, { file: fakeFile('b.txt') })
    expect(world.toasts).toEqual([
      {
        title: 'Not the same file',
        description: 'b.txt is not a.txt. Choose a.txt to go on with its upload.',
      },
    ])
    expect(world.statuses()).toEqual(['a.txt paused'])
  })

  test('is recognized in a drop, whose other files are uploaded as new', async () => {
    await reloadWhileSending([fakeFile('a.txt')])
    await advanceTime(0)
    world.onSend = () => undefined
    world.add([fakeFile('new.txt'), fakeFile('a.txt')])
    await advanceTime(2000)
    expect(world.statuses()).toEqual(['a.txt completed', 'new.txt completed'])
    expect(world.log).toContain('list key of a.txt')
  })

  test('is matched by date with uploads of the same name and size, and uploaded as new if none matches', async () => {
    const makeFileDated = (lastModified: number) => new File(['12345'], 'a.txt', { lastModified })
    await reloadWhileSending([makeFileDated(1), makeFileDated(2)])
    world.onSend = () => undefined
    world.add([makeFileDated(2), makeFileDated(3), makeFileDated(1)])
    await advanceTime(5000)
    const { records } = world.state()
    expect(records.map(({ status, identity }) => [status, identity.lastModified])).toEqual([
      ['completed', 1],
      ['completed', 2],
      ['completed', 3],
    ])
  })

  test('completes without sending if the confirm call had succeeded but its response was lost', async () => {
    const [id = ''] = await reloadWhileSending([fakeFile('a.txt')])
    world.onList = () => failedOutcome(404)
    await world.engine.provideFile(id, { file: fakeFile('a.txt') })
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(1)
  })

  test('starts over if the server deleted its upload, but only for the user who started it', async () => {
    const [id = ''] = await reloadWhileSending([fakeFile('a.txt')])
    world.onSend = () => undefined
    world.onList = () => failedOutcome(404)
    world.onConfirm = (attempt) => (attempt === 1 ? failedOutcome(404) : null)
    world.user = 'bob'
    await world.engine.provideFile(id, { file: fakeFile('a.txt') })
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'paused', need: 'sign-in' }])
    world.user = 'ada'
    await world.engine.resumeAfterSignIn()
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(2)
  })
})

describe('an upload idle for 5 s after a reload', () => {
  test('resumes automatically if a handle gives access to its file', async () => {
    const file = fakeFile('a.txt')
    await reloadWhileSending([{ file, handle: handleFor(file) }])
    world.onSend = () => undefined
    await advanceTime(6100)
    expect(world.statuses()).toEqual(['a.txt completed'])
    expect(world.handles.size).toBe(0)
  })

  test.each([
    ['paused', 'NotAllowedError', 'permission', null],
    ['failed', 'NotFoundError', null, 'Resume failed - file data lost. Please restart upload.'],
  ])('is %s if its handle throws %s', async (status, name, need, error) => {
    const getFile = () => Promise.reject(new DOMException('', name))
    const handle = { getFile } as unknown as FileSystemFileHandle
    await reloadWhileSending([{ file: fakeFile('a.txt'), handle }])
    await advanceTime(6100)
    expect(world.state().records).toMatchObject([{ status, need, error }])
  })

  test('fails as lost if the file of its handle has grown', async () => {
    const makeFileWith = (text: string) => new File([text], 'a.txt', { lastModified: 1 })
    let fileOnDisk = makeFileWith('one.')
    const handle = { getFile: async () => fileOnDisk } as unknown as FileSystemFileHandle
    await world.addStalled([{ file: makeFileWith('one.'), handle }])
    fileOnDisk = makeFileWith('one. two.')
    world.reload()
    world.onSend = () => undefined
    await advanceTime(6100)
    expect(world.state().records).toMatchObject([
      { status: 'failed', error: 'Resume failed - file data lost. Please restart upload.' },
    ])
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(1)
  })

  test('fails as lost if its content was pasted', async () => {
    await reloadWhileSending([{ file: fakeFile('image.png'), isPasted: true }])
    await advanceTime(0)
    expect(world.statuses()).toEqual(['image.png paused'])
    await advanceTime(6100)
    expect(world.state().records).toMatchObject([
      { status: 'failed', error: 'Resume failed - file data lost. Please restart upload.' },
    ])
  })
})
