import { describe, expect, it } from 'vitest'
import { makeDownloadCounter } from './queries.ts'

const noon = new Date('2026-03-08T12:00:00.000Z')

/** A statement in flight. The test answers it or makes it fail. */
interface Sent {
  statement: string
  /** The time of the last download in this statement. */
  last: Date
  answer(): Promise<void>
  fail(): Promise<void>
}

/**
 * Builds a download counter with a fake database. `sent` lists the statements, `settled` the
 * settled calls.
 */
function setUp() {
  const sent: Sent[] = []
  const settled: string[] = []
  const count = makeDownloadCounter((fileId, day, count, last) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const whenDone = (settle: () => void) => async () => {
      settle()
      await turn()
    }
    const fail = whenDone(() => reject(new Error('the database is unavailable')))
    sent.push({ statement: `${fileId} ${day} +${count}`, last, answer: whenDone(resolve), fail })
    return promise
  })
  const arrive = (name: string, fileId = 'a', now = noon) =>
    void count(fileId, now).then(
      () => settled.push(name),
      () => settled.push(`${name} failed`),
    )
  return { sent, settled, arrive, statements: () => sent.map(({ statement }) => statement) }
}

/** Waits until all pending callbacks have run. */
function turn() {
  return new Promise<void>((resolve) => setImmediate(resolve))
}

describe('downloads of a file', () => {
  it('are written one by one if no statement is running', async () => {
    const { sent, settled, arrive, statements } = setUp()
    arrive('first')
    await turn()
    expect(statements()).toEqual(['a 2026-03-08 +1'])
    await sent[0]?.answer()
    arrive('second')
    await turn()
    expect(statements()).toEqual(['a 2026-03-08 +1', 'a 2026-03-08 +1'])
    await sent[1]?.answer()
    expect(settled).toEqual(['first', 'second'])
  })

  it('are written together if they arrive in the same tick', async () => {
    const { sent, settled, arrive, statements } = setUp()
    for (const name of ['1', '2', '3']) arrive(name)
    // Another download may arrive a little later in the same tick.
    await Promise.resolve()
    arrive('4')
    await turn()
    expect(statements()).toEqual(['a 2026-03-08 +4'])
    expect(settled).toEqual([])
    await sent[0]?.answer()
    expect(settled).toEqual(['1', '2', '3', '4'])
    expect(sent).toHaveLength(1)
  })

  it('are written together if they arrive while a statement is running', async () => {
    const { sent, settled, arrive, statements } = setUp()
    arrive('1')
    await turn()
    for (const name of ['2', '3', '4']) arrive(name)
    await turn()
    expect(statements()).toEqual(['a 2026-03-08 +1'])
    await sent[0]?.answer()
    expect(statements()).toEqual(['a 2026-03-08 +1', 'a 2026-03-08 +3'])
    // The second statement is already sent, so this download waits for the third.
    arrive('5')
    // A call resolves only once its own download is written.
    expect(settled).toEqual(['1'])
    await sent[1]?.answer()
    expect(settled).toEqual(['1', '2', '3', '4'])
    expect(statements().at(-1)).toBe('a 2026-03-08 +1')
    await sent[2]?.answer()
    expect(settled.at(-1)).toBe('5')
    expect(sent).toHaveLength(3)
  })

  it('are written with the time of the last one', async () => {
    const { sent, arrive } = setUp()
    const noonPlus = (seconds: number) => new Date(noon.getTime() + seconds * 1000)
    arrive('some', 'a', noonPlus(0))
    await turn()
    for (const seconds of [1, 2, 3]) arrive('some', 'a', noonPlus(seconds))
    await sent[0]?.answer()
    expect(sent.map(({ last }) => last)).toEqual([noonPlus(0), noonPlus(3)])
  })

  it("don't wait for downloads of another file", async () => {
    const { arrive, statements } = setUp()
    arrive('1', 'a')
    arrive('2', 'b')
    await turn()
    expect(statements()).toEqual(['a 2026-03-08 +1', 'b 2026-03-08 +1'])
  })

  it('are written for their own day', async () => {
    const { arrive, statements } = setUp()
    const beforeMidnight = new Date('2026-03-08T23:59:59.999Z')
    const midnight = new Date('2026-03-09T00:00:00.000Z')
    for (const now of [noon, beforeMidnight, midnight, midnight, midnight]) arrive('late', 'a', now)
    await turn()
    expect(statements()).toEqual(['a 2026-03-08 +2', 'a 2026-03-09 +3'])
  })

  it('fail only with their own statement', async () => {
    const { sent, settled, arrive, statements } = setUp()
    arrive('1')
    await turn()
    arrive('2')
    arrive('3')
    await sent[0]?.fail()
    expect(settled).toEqual(['1 failed'])
    arrive('4')
    await sent[1]?.fail()
    expect(settled).toEqual(['1 failed', '2 failed', '3 failed'])
    await sent[2]?.answer()
    expect(settled.at(-1)).toBe('4')
    arrive('5')
    await turn()
    await sent[3]?.answer()
    expect(settled.at(-1)).toBe('5')
    expect(statements()).toHaveLength(4)
  })
})
