import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile, handleFor } from '../../../../tests/support/upload-fixtures.ts'
import { createSendFile } from '../transfer/send-file.ts'
import { TransferError } from '../upload-ports.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

/** Starts uploads in the first tab and opens a second one. Returns the second tab's engine. */
async function openSecondTab(...picked: Parameters<EngineWorld['addStalled']>[0]) {
  await world.addStalled(picked)
  const { engine } = world.openTab()
  await advanceTime(1000)
  return engine
}

describe('two tabs', () => {
  test("show each other's uploads, and each runs its own", async () => {
    const secondTab = await openSecondTab(fakeFile('a.txt'))
    expect(world.statuses(secondTab)).toEqual(['a.txt uploading'])
    expect([...secondTab.shownUploads().otherTabIds]).toEqual(['000001'])
    void secondTab.add({
      batch: 'other',
      path: 'foreground',
      expirationDays: 3,
      files: [{ id: '000002', picked: { file: fakeFile('b.txt') } }],
    })
    await advanceTime(2000)
    expect(world.statuses()).toEqual(['a.txt uploading', 'b.txt uploading'])
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(2)
  })

  test('reload the file list when either stores a file', async () => {
    const secondTab = await openSecondTab()
    world.onSend = () => undefined
    world.add([fakeFile('a.txt')])
    await advanceTime(2000)
    expect(world.statuses(secondTab)).toEqual(['a.txt completed'])
    // Each tab reloads the file list once.
    expect(world.listRefetches).toBe(2)
  })

  test("can cancel each other's uploads", async () => {
    const secondTab = await openSecondTab(fakeFile('a.txt'))
    await secondTab.cancel('000001')
    await advanceTime(1500)
    expect(world.statuses()).toEqual(['a.txt failed'])
    expect(world.log).toContain('abort key of a.txt')
    await advanceTime(3000)
    expect([world.statuses(), world.statuses(secondTab)]).toEqual([[], []])
    expect([world.pageBlocks, world.wakeLocks]).toEqual([0, 0])
  })

  test("can clear each other's lists", async () => {
    const secondTab = await openSecondTab()
    world.onSend = () => {
      throw new TransferError('status', 400)
    }
    world.add([fakeFile('a.txt')])
    await advanceTime(2000)
    expect(world.statuses(secondTab)).toEqual(['a.txt failed'])
    secondTab.clear()
    await advanceTime(2000)
    expect(world.statuses()).toEqual([])
  })

  test('both keep the screen on, but only the uploading tab blocks unloading', async () => {
    await openSecondTab(fakeFile('a.txt'))
    expect([world.wakeLocks, world.pageBlocks]).toEqual([2, 1])
  })
})

describe('a closed tab', () => {
  /** Closes the first tab while it is uploading. The second one stays open. */
  const closeFirstTab = async (...picked: Parameters<EngineWorld['addStalled']>[0]) => {
    const secondTab = await openSecondTab(...picked)
    world.closeTab()
    await advanceTime(2000)
    return secondTab
  }

  test('leaves an upload that another tab offers to resume', async () => {
    const secondTab = await closeFirstTab(fakeFile('a.txt'))
    expect(secondTab.shownUploads().records).toMatchObject([{ status: 'paused', need: 'file' }])
    expect(secondTab.shownUploads().otherTabIds.size).toBe(0)
    world.onSend = () => undefined
    await secondTab.provideFile('000001', { file: fakeFile('a.txt') })
    await advanceTime(1000)
    expect(world.statuses(secondTab)).toEqual(['a.txt completed'])
  })

  test('leaves an upload that another tab resumes automatically if a handle gives access to the file', async () => {
    const file = fakeFile('a.txt')
    const secondTab = await closeFirstTab({ file, handle: handleFor(file) })
    world.onSend = () => undefined
    await advanceTime(6000)
    expect(world.statuses(secondTab)).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(1)
  })

  test('leaves an upload that only one of the other tabs resumes', async () => {
    const file = fakeFile('a.txt')
    await openSecondTab({ file, handle: handleFor(file) })
    const thirdTab = world.openTab().engine
    world.onSend = () => undefined
    world.closeTab()
    world.log.length = 0
    await advanceTime(10_000)
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(1)
    expect(world.statuses(thirdTab)).toEqual(['a.txt completed'])
  })
})

describe('a browser without Web Locks', () => {
  test('resumes no upload automatically, because another tab may be running it', async () => {
    world.deps.locks.isSupported = false
    world.deps.locks.lockedIds = async () => new Set()
    const file = fakeFile('a.txt')
    const secondTab = await openSecondTab({ file, handle: handleFor(file) })
    await advanceTime(60_000)
    expect(world.statuses(secondTab)).toEqual(['a.txt paused'])
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(1)
  })
})

describe('signing out', () => {
  test("removes all of the user's uploads from the browser, including those of other tabs", async () => {
    const file = fakeFile('a.txt')
    const secondTab = await openSecondTab({ file, handle: handleFor(file) })
    await secondTab.signOut()
    expect(world.values.size).toBe(0)
    expect(world.handles.size).toBe(0)
    expect(world.log).toContain('abort key of a.txt')
    await advanceTime(2000)
    expect(world.statuses()).toEqual([])
    expect(world.pageBlocks).toBe(0)
    await advanceTime(60_000)
    expect(world.values.size).toBe(0)
  })

  test("doesn't let another tab start an aborted upload anew", async () => {
    const transfer = Promise.withResolvers<void>()
    world.onSend = () => transfer.promise
    world.onConfirm = () => failedOutcome(404, 'UPLOAD_NOT_FOUND')
    world.add([fakeFile('a.txt')])
    const { engine: secondTab } = world.openTab()
    await advanceTime(1000)
    // The first tab has just looked for changes, and looks again in a second.
    world.engine.reloadSoon()
    void secondTab.signOut()
    await advanceTime(0)
    transfer.reject(new TransferError('status', 404))
    await advanceTime(3000)
    expect(world.log.filter((line) => line.startsWith('start'))).toEqual(['start a.txt'])
  })

  test('keeps the uploads of other users', async () => {
    await world.addStalled([fakeFile('a.txt')])
    world.openAsUser('bob')
    await advanceTime(1000)
    await world.engine.signOut()
    expect(world.savedRecords()).toMatchObject([{ ownerId: 'ada', status: 'paused' }])
  })
})

test('a read error while WebKit unloads the page pauses the upload', async () => {
  let isUnloading = false
  world.deps.sendFile = createSendFile({
    ...world.deps,
    send: async () => ({ kind: 'network' }),
    signParts: async () => failedOutcome(null),
    checksums: { part: async () => null },
    waitWhileUnloading: () => (isUnloading ? new Promise(() => undefined) : Promise.resolve()),
  })
  world.openAsUser('ada')
  const makeUnreadableFile = (name: string) => {
    const arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
    return Object.assign(fakeFile(name), { slice: () => ({ arrayBuffer }) })
  }

  // On unload, WebKit fires `beforeunload`, then reports a connection error and an unreadable file,
  // and fires `pagehide` last.
  isUnloading = true
  world.add([makeUnreadableFile('a.txt')])
  await advanceTime(0)
  world.reload()
  await advanceTime(0)
  expect(world.state().records).toMatchObject([{ status: 'paused', error: null }])
  expect(world.toasts).toEqual([])

  isUnloading = false
  world.add([makeUnreadableFile('b.txt')])
  await advanceTime(0)
  expect(world.state().records[1]).toMatchObject({
    status: 'failed',
    error: 'The file has changed or can no longer be read',
    need: 'file',
  })
})
