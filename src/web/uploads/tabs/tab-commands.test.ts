import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../../tests/support/eventually.ts'
import { browserTimers } from '../timers.ts'
import type { OpenChannel, TabChannel } from '../upload-ports.ts'
import { openBroadcast } from './tab-channel.ts'
import { createTabCommands, type TabMessage } from './tab-commands.ts'

type Message = TabMessage<string, number>

let browser = 0
let lastId = 0
const channels: TabChannel<Message>[] = []

beforeEach(() => {
  browser += 1
})
afterEach(() => {
  vi.useRealTimers()
  for (const channel of channels.splice(0)) channel.close()
})

/**
 * Opens a tab on Node's own BroadcastChannel. It notes the commands that it ran and the states that
 * it received.
 */
function openTab(work: () => void | Promise<void> = () => {}) {
  const done: string[] = []
  const told: number[] = []
  const heard: Message[] = []
  let channel: TabChannel<Message> | undefined
  const open: OpenChannel<Message> = (onMessage) => {
    channel = openBroadcast<Message>(`browser ${browser}`)((message) => {
      heard.push(message)
      onMessage(message)
    })
    channels.push(channel)
    return channel
  }
  const tab = createTabCommands<string, number>({
    open,
    timers: browserTimers,
    newId: () => String(++lastId),
    onHello: () => done.push('hello'),
    onLive: (live) => told.push(live),
    onNoAnswer: () => done.push('no answer'),
  })
  const lead = () =>
    tab.lead((command) => {
      done.push(command)
      return work()
    })
  return { ...tab, lead, done, told, heard, close: () => channel?.close() }
}

function heardOf(tab: ReturnType<typeof openTab>, type: Message['type']) {
  return tab.heard.filter((message) => message.type === type)
}

function idsOf(tab: ReturnType<typeof openTab>, type: Message['type']) {
  return new Set(heardOf(tab, type).map((message) => ('id' in message ? message.id : '')))
}

test('the tab that leads runs the commands of all, its own at once', async () => {
  const [leader, follower] = [openTab(), openTab()]
  leader.lead()
  leader.send('own')
  expect(leader.done).toEqual(['own'])
  follower.send('one')
  follower.send('two')
  await eventually(() => expect(idsOf(follower, 'done').size).toBe(2))
  expect(leader.done).toEqual(['own', 'one', 'two'])
  expect(follower.done).toEqual([])
})

test('a command that nobody took is sent to the next leader, in its order', async () => {
  const [follower, next] = [openTab(), openTab()]
  follower.send('one')
  follower.send('two')
  await eventually(() => expect(heardOf(next, 'command')).toHaveLength(2))
  expect(next.done).toEqual([])
  next.lead()
  await eventually(() => expect(next.done).toEqual(['one', 'two']))
})

test('a tab that becomes the leader runs what it kept', async () => {
  const [tab, other] = [openTab(), openTab()]
  tab.send('one')
  tab.lead()
  expect(tab.done).toEqual(['one'])
  await eventually(() => expect(heardOf(other, 'done')).toHaveLength(1))
})

test('no command runs twice, however often it arrives', async () => {
  const [leader, follower] = [openTab(), openTab()]
  leader.lead()
  follower.send('one')
  // The follower sends the command again with each `hello`. The leader cannot have answered before.
  follower.hello()
  follower.hello()
  await eventually(() => expect(leader.done).toEqual(['one', 'hello', 'hello']))
  expect(heardOf(leader, 'command').length).toBeGreaterThanOrEqual(3)
})

test('the next leader does not run what the last one ran', async () => {
  const [last, follower, next] = [openTab(), openTab(), openTab()]
  last.lead()
  follower.send('one')
  await eventually(() => expect(idsOf(next, 'done').size).toBe(1))
  last.close()
  next.lead()
  // A late copy of a command that has ended already.
  const [copy] = heardOf(next, 'command')
  const late = openBroadcast<Message>(`browser ${browser}`)(() => {})
  channels.push(late)
  if (copy) late.post(copy)
  follower.send('two')
  await eventually(() => expect(next.done).toEqual(['two']))
  late.post({ type: 'hello' })
  await eventually(() => expect(next.done).toContain('hello'))
  expect(next.done).toEqual(['two', 'hello'])
})

test('a command that throws is done, and does not come again', async () => {
  const told: string[] = []
  let hear: (message: Message) => void = () => {}
  const leader = createTabCommands<string, number>({
    open: (onMessage) => {
      hear = onMessage
      return { post: ({ type }) => told.push(type), close: () => {} }
    },
    timers: browserTimers,
    newId: () => 'own',
    onHello: () => {},
    onLive: () => {},
    onNoAnswer: () => {},
  })
  leader.lead(() => {
    throw new Error('broken')
  })
  expect(() => hear({ type: 'command', id: '1', command: 'one' })).toThrow('broken')
  hear({ type: 'command', id: '1', command: 'one' })
  expect(told).toEqual(['leading', 'taken', 'done', 'done'])
})

test('a command is done when it has run to its end; the next leader runs one that was not', async () => {
  const ends: (() => void)[] = []
  const [last, next] = [openTab(() => new Promise<void>((end) => ends.push(end))), openTab()]
  const follower = openTab()
  last.lead()
  await eventually(() => expect(heardOf(follower, 'leading')).toHaveLength(1))
  follower.send('one')
  follower.send('two')
  await eventually(() => expect(ends).toHaveLength(2))
  ends[1]?.()
  await eventually(() => expect(heardOf(next, 'done')).toHaveLength(1))
  // The follower sends the command again. The leader confirms it, but does not run it twice.
  follower.hello()
  await eventually(() => expect(heardOf(follower, 'taken')).toHaveLength(3))
  expect(ends).toHaveLength(2)
  last.close()
  next.lead()
  await eventually(() => expect(next.done).toEqual(['one']))
})

test('a leader that confirms no command for 10 s does not answer; one that confirms it may be slow', () => {
  vi.useFakeTimers()
  let hear: (message: Message) => void = () => {}
  let unanswered = 0
  const follower = createTabCommands<string, number>({
    open: (onMessage) => {
      hear = onMessage
      return { post: () => {}, close: () => {} }
    },
    timers: browserTimers,
    newId: () => String(++lastId),
    onHello: () => {},
    onLive: () => {},
    onNoAnswer: () => {
      unanswered += 1
    },
  })
  follower.send('one')
  hear({ type: 'taken', id: String(lastId) })
  vi.advanceTimersByTime(60_000)
  expect(unanswered).toBe(0)
  follower.send('two')
  vi.advanceTimersByTime(9999)
  expect(unanswered).toBe(0)
  vi.advanceTimersByTime(1)
  expect(unanswered).toBe(1)
  follower.lead(() => {})
  vi.advanceTimersByTime(60_000)
  expect(unanswered).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('one that was robbed of the lead runs nothing any more', async () => {
  const [robbed, next, follower] = [openTab(), openTab(), openTab()]
  robbed.lead()
  next.lead()
  robbed.follow()
  follower.send('one')
  await eventually(() => expect(next.done).toEqual(['one']))
  robbed.send('two')
  await eventually(() => expect(next.done).toEqual(['one', 'two']))
  expect(robbed.done).toEqual([])
})

test('only the leader hears of a new tab', async () => {
  const [leader, follower, opened] = [openTab(), openTab(), openTab()]
  leader.lead()
  opened.hello()
  await eventually(() => expect(leader.done).toEqual(['hello']))
  await eventually(() => expect(heardOf(follower, 'hello')).toHaveLength(1))
  expect(follower.done).toEqual([])
})

test('Spec §9: what the leader tells is throttled to every 500 ms; the last one arrives', () => {
  vi.useFakeTimers()
  const told: number[] = []
  const leader = createTabCommands<string, number>({
    open: () => ({
      post: (message) => {
        if (message.type === 'live') told.push(message.live)
      },
      close: () => {},
    }),
    timers: browserTimers,
    newId: () => '1',
    onHello: () => {},
    onLive: () => {},
    onNoAnswer: () => {},
  })
  for (const live of [1, 2, 3]) leader.tell(live)
  expect(told).toEqual([1])
  vi.advanceTimersByTime(499)
  expect(told).toEqual([1])
  vi.advanceTimersByTime(1)
  expect(told).toEqual([1, 3])
  vi.advanceTimersByTime(10_000)
  leader.tell(4)
  expect(told).toEqual([1, 3, 4])
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(500)
  expect(vi.getTimerCount()).toBe(0)
})

test('followers hear what the leader tells', async () => {
  const [leader, follower] = [openTab(), openTab()]
  leader.lead()
  leader.tell(7)
  await eventually(() => expect(follower.told).toEqual([7]))
  expect(leader.told).toEqual([])
})

test('a file travels as it is', async () => {
  const got: unknown[] = []
  const one = openBroadcast<{ file: Blob }>(`files ${browser}`)(() => {})
  const other = openBroadcast<{ file: Blob }>(`files ${browser}`)(({ file }) => got.push(file))
  one.post({ file: new Blob(['hello']) })
  await eventually(() => expect(got).toHaveLength(1))
  expect(got[0] instanceof Blob && (await got[0].text())).toBe('hello')
  one.close()
  other.close()
})
