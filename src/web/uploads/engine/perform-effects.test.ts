import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EngineWorld, openEngineWorld, pass } from '../../../../tests/support/engine-world.ts'
import {
  fileNamed,
  refusal,
  storedFile,
  uploadRecord,
  uploadTicket,
} from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { firstWaitMs } from '../transfer/retry-policy.ts'
import { type Dispatcher, EffectPerformer } from './perform-effects.ts'
import type { RunStep, UploadEvent } from './upload-events.ts'

let world: EngineWorld
let performer: EffectPerformer
let records: Map<string, UploadRecord>
/** The events that the performer sent, in order, such as '1 turn-began'. */
let events: string[]
let dropSize: number
/** Returns the next step after an event, as the engine would. Most tests only note the event. */
let onEvent: (id: string, event: UploadEvent) => RunStep | null

const ticket = uploadTicket()
function put(id: string, changes: Partial<UploadRecord> = {}) {
  const record = uploadRecord({ id, fileName: `${id}.txt`, ...changes })
  records.set(id, record)
  return record
}

beforeEach(() => {
  world = openEngineWorld()
  world.engine.close()
  world.log.length = 0
  records = new Map()
  events = []
  dropSize = 1
  onEvent = () => null
  const dispatcher: Dispatcher = {
    record: (id) => records.get(id),
    dropSize: () => dropSize,
    dispatch: (id, event) => {
      events.push(`${id} ${event.type}`)
      return onEvent(id, event)
    },
    changed: () => undefined,
  }
  performer = new EffectPerformer('ada', world.deps, dispatcher)
})
afterEach(() => {
  performer.close()
  world.close()
})

describe('a turn', () => {
  test('begins with whether the file is at hand, and ends before the next one begins', async () => {
    const [one, two] = [put('1'), put('2')]
    world.data.keepInMemory('1', { file: fileNamed('1.txt') })
    for (const record of [one, two]) performer.perform(record, [{ type: 'enqueue' }])
    expect(events).toEqual(['1 turn-began'])
    expect(performer.underWay()).toEqual(['2', '1'])
    performer.perform(one, [{ type: 'end-turn' }])
    await pass(500)
    expect(events.filter((event) => event.endsWith('turn-began'))).toEqual([
      '1 turn-began',
      '2 turn-began',
    ])
    expect(performer.underWay()).toEqual(['2'])
  })

  test('that has ended is not heard of again', async () => {
    const record = put('1')
    world.data.keepInMemory('1', { file: fileNamed('1.txt') })
    onEvent = (_, { type }) =>
      type === 'turn-began' ? { type: 'get-ticket', instead: null } : null
    performer.perform(record, [{ type: 'enqueue' }])
    performer.perform(record, [{ type: 'end-turn' }])
    await pass(0)
    expect(events).toEqual(['1 turn-began'])
    // The server has answered with an upload slot. The run frees it with an abort.
    expect(world.log).toEqual(['start 1.txt', 'abort key of 1.txt'])
  })

  test('frees its slot however long the server does not answer', async () => {
    const record = put('1')
    world.data.keepInMemory('1', { file: fileNamed('1.txt') })
    world.onAbort = () => ({ ok: false, refusal: refusal(503) })
    onEvent = (_, { type }) =>
      type === 'turn-began' ? { type: 'get-ticket', instead: null } : null
    performer.perform(record, [{ type: 'enqueue' }])
    performer.perform(record, [{ type: 'end-turn' }])
    await pass(firstWaitMs)
    expect(world.log).toEqual(['start 1.txt', 'abort key of 1.txt', 'abort key of 1.txt'])
  })

  test('lets nobody ask for a slot before it is clear that it gets none', async () => {
    const answer = Promise.withResolvers<null>()
    world.onStart = () => answer.promise
    onEvent = (_, { type }) =>
      type === 'turn-began' ? { type: 'get-ticket', instead: null } : null
    dropSize = 11
    for (const id of ['1', '2']) {
      world.data.keepInMemory(id, { file: fileNamed(`${id}.txt`) })
      performer.perform(put(id), [{ type: 'enqueue' }])
    }
    performer.perform(put('1'), [{ type: 'end-turn' }])
    await pass(1000)
    expect(world.log).toEqual(['start 1.txt'])
    answer.resolve(null)
    await pass(0)
    expect(world.log).toContain('start 2.txt')
  })
})

describe('what is performed', () => {
  test('is all but the step of the turn, which is answered', () => {
    const step = { type: 'confirm', ticket, stage: 'confirm' } as const
    const record = put('1')
    expect(performer.perform(record, [{ type: 'save' }, step])).toBe(step)
    expect(performer.perform(record, [{ type: 'save' }])).toBeNull()
    expect(world.saved.get('1')).toBe(record)
    expect(world.log).toEqual([])
  })

  test('is done in its order', async () => {
    const record = put('1', { status: 'failed' })
    performer.perform(record, [
      { type: 'save' },
      { type: 'abort-on-server', cloudKey: 'key' },
      { type: 'release-data' },
      { type: 'remove' },
      { type: 'refresh-list', file: storedFile({ originalName: 'a.txt' }) },
    ])
    expect(world.saved.size).toBe(0)
    expect(world.log).toEqual(['abort key', 'stored a.txt'])
  })

  test('a cancelled upload is forgotten two seconds later', async () => {
    performer.perform(put('1'), [{ type: 'forget-soon' }])
    await pass(1999)
    expect(events).toEqual([])
    await pass(1)
    expect(events).toEqual(['1 forget'])
  })

  test('a notice is told; of a large drop only what stands beside the drop zone', () => {
    const toast = { kind: 'toast', title: 'Done', failed: false } as const
    performer.perform(put('1'), [{ type: 'tell', notice: toast }])
    dropSize = 11
    performer.perform(put('2'), [{ type: 'tell', notice: toast }])
    expect(world.toasts).toHaveLength(1)
    performer.perform(put('3'), [{ type: 'tell', notice: { kind: 'inline', text: 'No.' } }])
    expect(performer.inlineError).toBe('No.')
  })

  test('what stops one upload stops those that wait, and not those that run', () => {
    for (const id of ['1', '2', '3']) performer.perform(put(id), [{ type: 'enqueue' }])
    events.length = 0
    performer.perform(put('1'), [
      { type: 'stop-the-rest', reason: 'Full.', code: 'TIER_FILE_COUNT' },
    ])
    expect(events).toEqual(['2 stopped', '3 stopped'])
  })

  test('a lapsed session is told once, and again after a sign-in', () => {
    for (const id of ['1', '2']) performer.perform(put(id), [{ type: 'enqueue' }])
    events.length = 0
    for (let times = 0; times < 2; times += 1) {
      performer.perform(put('1'), [{ type: 'ask-to-sign-in' }])
    }
    expect(events).toEqual(['2 signed-out', '2 signed-out'])
    expect(world.toasts).toHaveLength(1)
    performer.signedIn()
    performer.perform(put('1'), [{ type: 'ask-to-sign-in' }])
    expect(world.toasts).toHaveLength(2)
  })

  test('the files of a drop wait for each other only until they have slots', () => {
    dropSize = 11
    for (const id of ['1', '2', '3']) performer.perform(put(id), [{ type: 'enqueue' }])
    expect(events).toEqual(['1 turn-began'])
    performer.perform(put('1', { ticket }), [{ type: 'save' }])
    expect(events).toEqual(['1 turn-began', '2 turn-began'])
  })

  test('files that were stored shortly before the end are still told of', async () => {
    for (const originalName of ['a.txt', 'b.txt']) {
      const file = storedFile({ originalName })
      performer.perform(put('1'), [{ type: 'refresh-list', file }])
    }
    performer.close()
    await pass(1000)
    expect(world.log).toEqual(['stored a.txt', 'stored b.txt'])
  })

  test('an abort that got no answer is asked for again by the next page', async () => {
    world.onAbort = () => ({ ok: false, refusal: refusal(null) })
    performer.perform(put('1'), [{ type: 'abort-on-server', cloudKey: 'key' }])
    await pass(0)
    performer.close()
    await pass(60_000)
    expect(world.log).toEqual(['abort key'])
    world.openFor('ada')
    await pass(0)
    expect(world.log).toEqual(['abort key', 'abort key'])
  })
})
