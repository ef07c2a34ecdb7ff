import { describe, expect, it } from 'vitest'
import { makeDownloadCounter } from './queries.ts'

const noon = new Date('2026-03-08T12:00:00.000Z')

/** A statement in flight. The test lets it succeed or fail. */
interface SentStatement {
  statement: string
  /** The time of the most recent download that this statement counts. */
  last: Date
  succeed(): Promise<void>
  fail(): Promise<void>
}

/**
 * Creates a download counter on a fake database. `sent` lists the statements sent to it, and
 * `settledCalls` the calls that have settled.
 */
function setUp() {
  const sent: SentStatement[] = []
  const settledCalls: string[] = []
  const count = makeDownloadCounter(({ fileId }, day, count, last) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const settleAndWait = (settle: () => void) => async () => {
      settle()
      await nextTick()
    }
    const fail = settleAndWait(() => reject(new Error('the database is unavailable')))
    sent.push({
      statement: `${fileId} ${day} +${count}`,
      last,
      succeed: settleAndWait(() => resolve(true)),
      fail,
    })
    return promise
  })
  const startDownload = (name: string, fileId = 'a', now = noon) =>
    void count({ linkId: 'link', fileId }, now).then(
      () => settledCalls.push(name),
      () => settledCalls.push(`${name} failed`),
    )
  return {
    sent,
    settledCalls,
    startDownload,
    statements: () => sent.map(({ statement }) => statement),
  }
}

/** Waits until all pending microtasks have run. */
function nextTick() {
  return new Promise<void>((resolve) => setImmediate(resolve))
}

describe('downloads of a file', () => {
  it('are written one by one if no statement is running', async () => {
    const { sent, settledCalls, startDownload, statements } = setUp()
    startDownload('first')
    await nextTick()
    expect(statements()).toEqual(['a 2026-03-08 +1'])
    await sent[0]?.succeed()
    startDownload('second')
    await nextTick()
    expect(statements()).toEqual(['a 2026-03-08 +1', 'a 2026-03-08 +1'])
    await sent[1]?.succeed()
    expect(settledCalls).toEqual(['first', 'second'])
  })

  it('are written together if they arrive in the same tick', async () => {
    const { sent, settledCalls, startDownload, statements } = setUp()
    for (const name of ['1', '2', '3']) startDownload(name)
    // Another download may arrive slightly later in the same tick.
    await Promise.resolve()
    startDownload('4')
    await nextTick()
    expect(statements()).toEqual(['a 2026-03-08 +4'])
    expect(settledCalls).toEqual([])
    await sent[0]?.succeed()
    expect(settledCalls).toEqual(['1', '2', '3', '4'])
    expect(sent).toHaveLength(1)
  })

  it('are written together if they arrive while a statement is running', async () => {
    const { sent, settledCalls, startDownload, statements } = setUp()
    startDownload('1')
    await nextTick()
    for (const name of ['2', '3', '4']) startDownload(name)
    await nextTick()
    expect(statements()).toEqual(['a 2026-03-08 +1'])
    await sent[0]?.succeed()
    expect(statements()).toEqual(['a 2026-03-08 +1', 'a 2026-03-08 +3'])
    // The second statement has already been sent, so this download waits for the third.
    startDownload('5')
    // A call resolves only after its own download has been written.
    expect(settledCalls).toEqual(['1'])
    await sent[1]?.succeed()
    expect(settledCalls).toEqual(['1', '2', '3', '4'])
    expect(statements().at(-1)).toBe('a 2026-03-08 +1')
    await sent[2]?.succeed()
    expect(settledCalls.at(-1)).toBe('5')
    expect(sent).toHaveLength(3)
  })

  it('are written with the time of the last one', async () => {
    const { sent, startDownload } = setUp()
    const noonPlus = (seconds: number) => new Date(noon.getTime() + seconds * 1000)
    startDownload('some', 'a', noonPlus(0))
    await nextTick()
    for (const seconds of [1, 2, 3]) startDownload('some', 'a', noonPlus(seconds))
    await sent[0]?.succeed()
    expect(sent.map(({ last }) => last)).toEqual([noonPlus(0), noonPlus(3)])
  })

  it("don't wait for downloads of another file", async () => {
    const { startDownload, statements } = setUp()
    startDownload('1', 'a')
    startDownload('2', 'b')
    await nextTick()
    expect(statements()).toEqual(['a 2026-03-08 +1', 'b 2026-03-08 +1'])
  })

  it('are counted per UTC day', async () => {
    const { startDownload, statements } = setUp()
    const beforeMidnight = new Date('2026-03-08T23:59:59.999Z')
    const midnight = new Date('2026-03-09T00:00:00.000Z')
    for (const now of [noon, beforeMidnight, midnight, midnight, midnight])
      startDownload('late', 'a', now)
    await nextTick()
    expect(statements()).toEqual(['a 2026-03-08 +2', 'a 2026-03-09 +3'])
  })

  it('fail only with their own statement', async () => {
    const { sent, settledCalls, startDownload, statements } = setUp()
    startDownload('1')
    await nextTick()
    startDownload('2')
    startDownload('3')
    await sent[0]?.fail()
    expect(settledCalls).toEqual(['1 failed'])
    startDownload('4')
    await sent[1]?.fail()
    expect(settledCalls).toEqual(['1 failed', '2 failed', '3 failed'])
    await sent[2]?.succeed()
    expect(settledCalls.at(-1)).toBe('4')
    startDownload('5')
    await nextTick()
    await sent[3]?.succeed()
    expect(settledCalls.at(-1)).toBe('5')
    expect(statements()).toHaveLength(4)
  })
})
