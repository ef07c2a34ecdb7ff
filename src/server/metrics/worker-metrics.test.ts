import type { Worker } from 'node:cluster'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Figures, MetricsGatherer } from './worker-metrics.ts'

/** What a worker gets: an order to tell its figures, or the answer to its question. */
interface Sent {
  kind: string
  id: number
  withShared?: boolean
  text?: string | null
}

/** A worker that keeps what it was sent, so that the test can answer when it wants to. */
class FakeWorker {
  readonly sent: Sent[] = []
  connected = true
  readonly number: number

  constructor(number: number) {
    this.number = number
  }

  isConnected = () => this.connected
  send = (message: Sent) => this.sent.push(message)

  get asWorker(): Worker {
    return this as unknown as Worker
  }

  get orders(): Sent[] {
    return this.sent.filter(({ kind }) => kind === 'mayfly metrics of one')
  }

  get answers(): (string | null | undefined)[] {
    return this.sent.filter(({ kind }) => kind === 'mayfly metrics of all').map(({ text }) => text)
  }
}

let serving: FakeWorker[]
let gatherer: MetricsGatherer

// The first scrape imports the library, which takes longer than `settled` waits.
beforeAll(() => import('prom-client'))
beforeEach(() => {
  vi.useFakeTimers()
  serving = [new FakeWorker(1), new FakeWorker(2)]
  gatherer = new MetricsGatherer(() => serving.map(({ asWorker }) => asWorker))
})
afterEach(() => {
  vi.useRealTimers()
})

function worker(index: number): FakeWorker {
  const found = serving[index]
  if (!found) throw new Error(`there are ${serving.length} workers`)
  return found
}

/** A worker that was asked by Prometheus asks for the figures of all. */
function ask(asker: FakeWorker, id = 1) {
  gatherer.noteMessage(asker.asWorker, { kind: 'mayfly metrics of all', id })
}

function figuresOf({ number }: FakeWorker): Figures {
  const value = { value: number, labels: { worker: String(number) } }
  return [
    { name: 'm', help: 'h', type: 'gauge', aggregator: 'sum', values: [value] },
  ] as unknown as Figures
}

/** Lets a worker answer the order that it got last. */
function tell(one: FakeWorker, figures: Figures | null = figuresOf(one)) {
  const { id = 0 } = one.orders.at(-1) ?? {}
  gatherer.noteMessage(one.asWorker, { kind: 'mayfly metrics of one', id, figures })
}

/** Lets promises settle that wait for nothing. */
function settled() {
  return vi.advanceTimersByTimeAsync(0)
}

describe('a scrape', () => {
  test('tells the figures of every worker to the one that asked', async () => {
    const [first, second] = [worker(0), worker(1)]
    ask(second)
    tell(first)
    await settled()
    expect(second.answers).toEqual([])
    tell(second)
    await settled()
    const [text] = second.answers
    expect(
      text
        ?.split('\n')
        .filter((line) => line.startsWith('m{'))
        .toSorted(),
    ).toEqual(['m{worker="1"} 1', 'm{worker="2"} 2'])
    expect(first.answers).toEqual([])
    expect(gatherer.waiting).toBe(0)
  })

  test('has what all workers share read by the one that asked, and by no other', () => {
    ask(worker(1))
    expect(serving.map(({ orders }) => orders.map(({ withShared }) => withShared))).toEqual([
      [false],
      [true],
    ])
  })

  test('asks the worker that it reached, although that one has not reported ready', async () => {
    const early = new FakeWorker(3)
    ask(early)
    for (const one of [...serving, early]) tell(one)
    await settled()
    expect(early.orders).toHaveLength(1)
    expect(early.answers[0]).toContain('m{worker="3"} 3')
  })

  test('does not ask a worker that does not serve yet, and has ended its channel', async () => {
    worker(1).connected = false
    ask(worker(0))
    tell(worker(0))
    await settled()
    expect(worker(1).sent).toEqual([])
    expect(worker(0).answers[0]).toContain('m{worker="1"} 1')
  })

  test('tells of the others when a worker ends before it has answered', async () => {
    ask(worker(0))
    tell(worker(0))
    gatherer.noteExit(worker(1).asWorker)
    await settled()
    expect(worker(0).answers[0]).toContain('m{worker="1"} 1')
    expect(gatherer.waiting).toBe(0)
  })

  test('fails when a worker cannot read its figures', async () => {
    ask(worker(0))
    tell(worker(0))
    tell(worker(1), null)
    await settled()
    expect(worker(0).answers).toEqual([null])
  })

  test('fails when the figures cannot be added up, and the server goes on', async () => {
    const bad = [{ name: 'm', aggregator: 'unknown', values: [] }] as unknown as Figures
    ask(worker(0))
    for (const one of serving) tell(one, bad)
    await settled()
    expect(worker(0).answers).toEqual([null])
  })
})

describe('a worker that hangs', () => {
  test('lets each scrape fail after 5 s, and nothing of them is kept', async () => {
    for (let id = 1; id <= 20; id += 1) {
      ask(worker(0), id)
      tell(worker(0))
    }
    await vi.advanceTimersByTimeAsync(4_999)
    expect(worker(0).answers).toEqual([])
    expect(gatherer.waiting).toBe(20)
    await vi.advanceTimersByTimeAsync(1)
    expect(worker(0).answers).toEqual(Array(20).fill(null))
    expect(gatherer.waiting).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('may answer when nobody waits any more: the next scrape is as ever', async () => {
    ask(worker(0))
    tell(worker(0))
    await vi.advanceTimersByTimeAsync(5_000)
    tell(worker(1))
    ask(worker(0), 2)
    tell(worker(0))
    tell(worker(1))
    await settled()
    expect(worker(0).answers).toEqual([null, expect.stringContaining('m{worker="2"} 2')])
  })
})
