import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile, handleFor, tierFullMessage } from '../../../../tests/support/upload-fixtures.ts'
import { linkEndedText } from '../upload-errors.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

const names = ['a.txt', 'b.txt', 'c.txt']
const addToOneLink = (options = {}, files = names.map((name) => fakeFile(name))) =>
  world.add(files, 'Desktop', options)

function refuse(...refused: string[]) {
  world.onStart = (name) =>
    refused.includes(name) ? failedOutcome(409, 'TIER_FILE_COUNT', tierFullMessage) : null
}

test('a drop starts its link with one call and uploads every file', async () => {
  addToOneLink({ title: 'Trip', password: 'secret' })
  await advanceTime(0)
  expect(world.linkCalls).toMatchObject([
    {
      link: { title: 'Trip', password: 'secret' },
      expirationDays: '3',
      ownerId: 'ada',
      files: names.map((fileName) => ({ fileName, fileSize: 10, fileType: 'text/plain' })),
    },
  ])
  expect(world.state().records.map(({ ticket }) => ticket?.shortCode)).toEqual(
    names.map(() => 'abcdefghjk'),
  )
  expect([...world.values.values()].join()).not.toContain('secret')
  await advanceTime(2000)
  expect(world.log).toEqual([
    ...names.map((name) => `start ${name}`),
    ...names.flatMap((name) => [`send key of ${name}`, `confirm key of ${name}`]),
  ])
  expect(world.statuses()).toEqual(names.map((name) => `${name} completed`))
})

test('a large drop starts its link with one call too', async () => {
  const files = Array.from({ length: 100 }, (_, index) => fakeFile(`${index}.txt`))
  addToOneLink({}, files)
  await advanceTime(100)
  expect(world.linkCalls).toHaveLength(1)
  expect(world.state().records.every(({ status }) => status === 'completed')).toBe(true)
})

test('a start whose response is lost is repeated unchanged', async () => {
  let attempts = 0
  world.onStart = () => {
    attempts += 1
    return attempts === 1 ? failedOutcome(null) : null
  }
  addToOneLink()
  await advanceTime(10_000)
  expect(world.linkCalls).toHaveLength(2)
  expect(world.linkCalls[1]).toEqual(world.linkCalls[0])
  expect(world.statuses()).toEqual(names.map((name) => `${name} completed`))
})

test('refused files fail with their errors, and the others share the link', async () => {
  refuse('c.txt')
  addToOneLink()
  await advanceTime(5000)
  expect(world.statuses()).toEqual(['a.txt completed', 'b.txt completed', 'c.txt failed'])
  expect(world.state().inlineError).toBe(tierFullMessage)
  expect(world.state().records[2]).toMatchObject({ code: 'TIER_FILE_COUNT' })
})

test('after an upgrade, the files that the tier refused join the link', async () => {
  refuse('b.txt', 'c.txt')
  addToOneLink({ title: 'Trip' })
  await advanceTime(5000)
  refuse()
  await world.engine.handleTierChange('free', 'premium')
  await advanceTime(5000)
  expect(world.linkCalls.slice(-2)).toMatchObject([
    { link: { shortCode: 'abcdefghjk' }, files: [{ fileName: 'b.txt' }] },
    { link: { shortCode: 'abcdefghjk' }, files: [{ fileName: 'c.txt' }] },
  ])
  expect(world.statuses()).toEqual(names.map((name) => `${name} completed`))
})

test('if every file is refused, nothing is started and each one says why', async () => {
  world.onStart = () => failedOutcome(413, 'FILE_TOO_LARGE', 'Too large')
  addToOneLink()
  await advanceTime(5000)
  expect(world.tickets).toBe(0)
  expect(world.state().records.map(({ error }) => error)).toEqual(names.map(() => 'Too large'))
})

test('a file cancelled during the start is aborted, and the others continue', async () => {
  const { promise, resolve } = Promise.withResolvers<null>()
  world.onStart = () => promise
  const [, id = ''] = addToOneLink()
  await advanceTime(0)
  await world.engine.cancel(id)
  resolve(null)
  await advanceTime(5000)
  expect(world.log.filter((entry) => entry.startsWith('abort'))).toEqual(['abort key of b.txt'])
  expect(world.statuses()).toEqual(['a.txt completed', 'c.txt completed'])
})

test('after a reload, the files keep their place in the link', async () => {
  const resolveTransfers = world.stallTransfers()
  const files = names.map((name) => fakeFile(name))
  world.add(
    files.map((file) => ({ file, handle: handleFor(file) })),
    'Desktop',
    { title: 'Trip' },
  )
  await advanceTime(1000)
  world.reload()
  resolveTransfers()
  await advanceTime(20_000)
  expect(world.linkCalls).toHaveLength(1)
  expect(world.confirmations.map(({ cloudKey }) => cloudKey).toSorted()).toEqual(
    names.map((name) => `key of ${name}`),
  )
})

test('a delivery keeps its token with each file, and later files join it', async () => {
  const { startLink } = world.deps.calls
  world.deps.calls.startLink = async (start, signal) => {
    const outcome = await startLink(start, signal)
    if (!outcome.ok) return outcome
    const uploads = outcome.value.uploads.map(({ shortCode: _, ...ticket }) => ticket)
    const link = { senderName: 'Grace', uploadToken: 'token' }
    return {
      ok: true,
      value: { link, uploads: uploads.map((ticket) => ({ ...ticket, uploadToken: 'token' })) },
    }
  }
  addToOneLink({ senderName: 'Grace' })
  await advanceTime(2000)
  expect(world.confirmations).toMatchObject(names.map(() => ({ uploadToken: 'token' })))
  const [record] = world.state().records
  expect(record).toMatchObject({
    status: 'completed',
    link: { senderName: 'Grace', uploadToken: 'token' },
    ticket: { uploadToken: 'token' },
  })
  addToOneLink(record?.link, [fakeFile('d.txt')])
  await advanceTime(2000)
  expect(world.linkCalls.at(-1)).toMatchObject({ link: { uploadToken: 'token' } })
})

test('files are added to an existing link, and fail for good once it has ended', async () => {
  addToOneLink({ shortCode: 'kkkkkkkkkk' })
  await advanceTime(2000)
  expect(world.linkCalls).toMatchObject([
    { link: { shortCode: 'kkkkkkkkkk' }, files: [{}, {}, {}] },
  ])
  expect(world.statuses()).toEqual(names.map((name) => `${name} completed`))
  world.onStart = () => failedOutcome(404, 'LINK_NOT_FOUND', 'File not found or expired')
  const [id = ''] = addToOneLink({ shortCode: 'kkkkkkkkkk' }, [fakeFile('d.txt')])
  await advanceTime(2000)
  const record = world.state().records.find((other) => other.id === id)
  expect(record).toMatchObject({ status: 'failed', error: linkEndedText })
})
