import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memoryHandles } from '../../../../tests/support/browser-memory.ts'
import { type EngineWorld, openEngineWorld, pass } from '../../../../tests/support/engine-world.ts'
import { fileNamed, handleTo, uploadRecord } from '../../../../tests/support/upload-facts.ts'
import { createLeader, type OwnedCommand, type UploadLeader } from './upload-leader.ts'

let world: EngineWorld
let leader: UploadLeader
let pageUser: string | null
let isAlone: boolean
/** How often `flush` and `discard` of the record store were called. */
let flushes: number
let discards: number
let ids: number

function lead() {
  const { deps } = world
  leader = createLeader({
    ...deps,
    records: {
      ...deps.records,
      flush: () => {
        flushes += 1
      },
      discard: () => {
        discards += 1
      },
    },
    handles: memoryHandles(world.handles),
    isAlone,
    pageUser: () => pageUser,
    newId: () => {
      ids += 1
      return `id${ids}`
    },
  })
  return leader
}

beforeEach(() => {
  world = openEngineWorld()
  // These tests do not use the engine of this world.
  world.engine.close()
  pageUser = 'ada'
  isAlone = false
  flushes = 0
  discards = 0
  ids = 0
})
afterEach(() => {
  leader.resign()
  world.close()
})

function adds(ownerId: string, name: string): OwnedCommand {
  return {
    ownerId,
    name: 'add',
    args: [
      {
        batch: name,
        path: 'foreground',
        expirationDays: 3,
        files: [{ id: name, picked: { file: fileNamed(name) } }],
      },
    ],
  }
}
function opens(ownerId: string): OwnedCommand {
  return { ownerId, name: 'resumeSignedIn', args: [] }
}

function shown(ownerId: string) {
  return leader.state(ownerId)?.records.map(({ fileName, status }) => `${fileName} ${status}`)
}

describe('the leader of the tabs', () => {
  test('runs nobody before the first command, then whoever gave it', async () => {
    lead()
    expect([leader.live(), leader.state('ada')]).toEqual([null, null])
    await leader.obey(adds('ada', 'a.txt'))
    await pass(0)
    expect(shown('ada')).toEqual(['a.txt completed'])
    expect(leader.state('bob')).toBeNull()
  })

  test('has written by the time a command is done what must be remembered of it', async () => {
    lead()
    await leader.obey(opens('ada'))
    flushes = 0
    const obeyed = leader.obey({ ownerId: 'ada', name: 'clear', args: [] })
    expect(flushes).toBe(1)
    await obeyed
    expect(flushes).toBe(2)
  })

  test('pauses the uploads of one user when another commands, and tells nobody of the others', async () => {
    lead()
    await leader.obey(adds('ada', 'done.txt'))
    await pass(1000)
    expect(leader.live()?.notice).not.toBeNull()
    world.hold()
    await leader.obey(adds('ada', 'a.txt'))
    await pass(0)
    world.user = 'bob'
    await leader.obey(opens('bob'))
    expect(world.saved.get('a.txt')).toMatchObject({ status: 'paused', ownerId: 'ada' })
    expect([leader.state('ada'), shown('bob')]).toEqual([null, []])
    expect(leader.live()).toMatchObject({ ownerId: 'bob', notice: null })
  })

  test('shows notices on this page only where their user looks at it; the tabs hear all', async () => {
    world.user = 'bob'
    lead()
    const before = () => leader.live()?.stored
    await leader.obey(opens('bob'))
    const stored = before()
    await leader.obey(adds('bob', 'b.txt'))
    await pass(0)
    expect([world.toasts, world.listed]).toEqual([[], 0])
    expect(leader.live()?.notice?.notice.title).toBe('Upload Complete')
    expect(leader.live()?.stored).not.toBe(stored)
  })

  test('forgets the handles that no record names', async () => {
    world.handles.set('gone', handleTo(fileNamed('gone.txt')))
    world.handles.set('1', handleTo(fileNamed('a.txt')))
    world.saved.set('1', uploadRecord({ ownerId: 'bob', status: 'paused' }))
    lead()
    await leader.obey(opens('ada'))
    expect([...world.handles.keys()]).toEqual(['1'])
  })

  test('resigns without a trace: nothing is written, nothing goes on', async () => {
    world.hold()
    lead()
    await leader.obey(adds('ada', 'a.txt'))
    await pass(0)
    const saved = structuredClone([...world.saved.values()])
    leader.resign()
    await pass(60_000)
    expect([...world.saved.values()]).toEqual(saved)
    expect(leader.live()).toBeNull()
    expect(discards).toBe(1)
  })
})

describe('in a browser that elects no tab', () => {
  const left = (id: string, idleMs: number) =>
    world.saved.set(
      id,
      uploadRecord({ id, fileName: id, status: 'uploading', lastActivity: Date.now() - idleMs }),
    )

  test.each([true, false])(
    'another tab may run what was active just now (alone: %s)',
    async (is) => {
      isAlone = is
      left('busy.txt', 1000)
      left('idle.txt', 60_000)
      // The clock has been set back since this upload was active.
      left('later.txt', -1000)
      lead()
      await leader.obey(opens('ada'))
      const expected = ['busy.txt paused', 'idle.txt paused', 'later.txt paused']
      expect(shown('ada')).toEqual(is ? expected.slice(1) : expected)
      await pass(60_000)
      expect(shown('ada')?.sort()).toEqual(expected)
    },
  )
})
