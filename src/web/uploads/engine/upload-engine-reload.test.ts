import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type EngineWorld,
  openEngineWorld,
  pass,
  refused,
} from '../../../../tests/support/engine-world.ts'
import { fileNamed, handleTo } from '../../../../tests/support/upload-facts.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

/** Reloads the page while these files are being sent. Returns the ids of their records. */
async function reloadWhileSending(picked: Parameters<EngineWorld['add']>[0]) {
  const ids = await world.addStuck(picked)
  world.reload()
  await pass(0)
  return ids
}

describe('after a reload', () => {
  test('an upload that ran or waited is paused, and asks for its file', async () => {
    await reloadWhileSending([fileNamed('a.txt'), fileNamed('b.txt')])
    expect(world.shown()).toEqual(['a.txt paused', 'b.txt paused'])
    expect(world.state().records.map(({ need }) => need)).toEqual(['file', 'file'])
    expect(world.holds).toBe(0)
  })
})

describe('a failed upload after a reload', () => {
  test('keeps its error, says that it needs its file, and goes on with it', async () => {
    world.onStart = () => refused(507)
    world.add([fileNamed('a.txt')])
    await pass(0)
    expect(world.state().records).toMatchObject([{ status: 'failed', need: null }])
    world.reload()
    await pass(0)
    const [failed] = world.state().records
    expect(failed).toMatchObject({ status: 'failed', need: 'file', error: expect.any(String) })
    world.onStart = () => null
    await world.engine.provideFile(failed?.id ?? '', { file: fileNamed('a.txt') })
    await pass(0)
    expect(world.shown()).toEqual(['a.txt completed'])
  })

  test('needs nothing where the browser kept a way to its file', async () => {
    world.onStart = () => refused(507)
    const file = fileNamed('a.txt')
    world.add([{ file, handle: handleTo(file) }])
    await pass(0)
    world.reload()
    await pass(0)
    expect(world.state().records).toMatchObject([{ status: 'failed', need: null }])
  })
})

describe('a file that is given again after a reload', () => {
  test('goes on from what storage holds', async () => {
    const [id = ''] = await reloadWhileSending([fileNamed('a.txt', 30)])
    await pass(0)
    world.onList = () => ({ ok: true, value: { parts: [{ partNumber: 1, size: 20 }] } })
    const held: unknown[] = []
    world.onSend = (job) => void held.push(job.held)
    await world.engine.provideFile(id, { file: fileNamed('a.txt', 30) })
    await pass(0)
    expect(held).toEqual([[{ partNumber: 1, size: 20 }]])
    expect(world.tickets).toBe(1)
    expect(world.shown()).toEqual(['a.txt completed'])
  })

  test('is refused by name where it is a different one', async () => {
    const [id = ''] = await reloadWhileSending([fileNamed('a.txt')])
    await world.engine.provideFile(id, { file: fileNamed('b.txt') })
    expect(world.toasts).toEqual([
      {
        title: 'Not the same file',
        description: 'b.txt is not a.txt. Choose a.txt to go on with its upload.',
      },
    ])
    expect(world.shown()).toEqual(['a.txt paused'])
  })

  test('is recognised in a drop, whose other files are uploaded', async () => {
    await reloadWhileSending([fileNamed('a.txt')])
    await pass(0)
    world.onSend = () => undefined
    world.add([fileNamed('new.txt'), fileNamed('a.txt')])
    await pass(2000)
    expect(world.shown()).toEqual(['a.txt completed', 'new.txt completed'])
    expect(world.log).toContain('list key of a.txt')
  })

  test('finds its own upload among several of its name and size by its date; else it is new', async () => {
    const dated = (lastModified: number) => new File(['12345'], 'a.txt', { lastModified })
    await reloadWhileSending([dated(1), dated(2)])
    world.onSend = () => undefined
    world.add([dated(2), dated(3), dated(1)])
    await pass(5000)
    const { records } = world.state()
    expect(records.map(({ status, identity }) => [status, identity.lastModified])).toEqual([
      ['completed', 1],
      ['completed', 2],
      ['completed', 3],
    ])
  })

  test('is found to be a file already where nobody heard that it was confirmed', async () => {
    const [id = ''] = await reloadWhileSending([fileNamed('a.txt')])
    world.onList = () => refused(404)
    await world.engine.provideFile(id, { file: fileNamed('a.txt') })
    await pass(0)
    expect(world.shown()).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(1)
  })

  test('starts anew where its upload was swept, but not in the name of somebody else', async () => {
    const [id = ''] = await reloadWhileSending([fileNamed('a.txt')])
    world.onSend = () => undefined
    world.onList = () => refused(404)
    world.onConfirm = (times) => (times === 1 ? refused(404) : null)
    world.user = 'bob'
    await world.engine.provideFile(id, { file: fileNamed('a.txt') })
    await pass(0)
    expect(world.state().records).toMatchObject([{ status: 'paused', need: 'sign-in' }])
    world.user = 'ada'
    await world.engine.resumeSignedIn()
    await pass(0)
    expect(world.shown()).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(2)
  })
})

describe('an upload that is left alone for 5 s after a reload', () => {
  test('goes on by itself where a handle finds its file', async () => {
    const file = fileNamed('a.txt')
    await reloadWhileSending([{ file, handle: handleTo(file) }])
    world.onSend = () => undefined
    await pass(6100)
    expect(world.shown()).toEqual(['a.txt completed'])
    expect(world.handles.size).toBe(0)
  })

  test.each([
    ['paused', 'NotAllowedError', 'permission', null],
    ['failed', 'NotFoundError', null, 'Resume failed - file data lost. Please restart upload.'],
  ])('is %s where its handle answers %s', async (status, name, need, error) => {
    const getFile = () => Promise.reject(new DOMException('', name))
    const handle = { getFile } as unknown as FileSystemFileHandle
    await reloadWhileSending([{ file: fileNamed('a.txt'), handle }])
    await pass(6100)
    expect(world.state().records).toMatchObject([{ status, need, error }])
  })

  test.each([
    ['is longer now', 'one. two.', 1],
    ['was changed since', 'two.', 2],
  ])('fails where the file that its handle finds %s: its data is lost', async (_, edited, date) => {
    const named = (text: string, lastModified = 1) => new File([text], 'a.txt', { lastModified })
    let onDisk = named('one.')
    const handle = { getFile: async () => onDisk } as unknown as FileSystemFileHandle
    await world.addStuck([{ file: named('one.'), handle }])
    onDisk = named(edited, date)
    world.reload()
    world.onSend = () => undefined
    await pass(6100)
    expect(world.state().records).toMatchObject([
      { status: 'failed', error: 'Resume failed - file data lost. Please restart upload.' },
    ])
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(1)
  })

  test('fails where it was pasted: its data is lost', async () => {
    await reloadWhileSending([{ file: fileNamed('image.png'), pasted: true }])
    await pass(0)
    expect(world.shown()).toEqual(['image.png paused'])
    await pass(6100)
    expect(world.state().records).toMatchObject([
      { status: 'failed', error: 'Resume failed - file data lost. Please restart upload.' },
    ])
  })
})
