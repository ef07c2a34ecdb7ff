import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StartFault } from '../start-fault.ts'
import type { WorkerReport } from './messages.ts'
import { Workers } from './workers.ts'

/** A process that does what the test says. */
class FakeWorker extends EventEmitter {
  readonly sent: unknown[] = []
  readonly process = { pid: 1, kill: vi.fn() }
  isConnected = () => true
  send = (message: unknown) => this.sent.push(message)

  report(report: WorkerReport) {
    this.emit('message', report)
  }

  ready(text = 'Mayfly is ready', isFirst = false) {
    this.report({ kind: 'ready', greeting: { text, isFirst } })
  }

  exit(code: number | null, signal: string | null = null) {
    this.emit('exit', code, signal)
  }
}

let forked: FakeWorker[]
let lost: unknown[]
let workers: Workers

beforeEach(() => {
  vi.useFakeTimers()
  forked = []
  lost = []
  workers = new Workers({
    count: 2,
    log: { info() {}, warn() {}, error() {} },
    onLost: (error) => void lost.push(error),
    fork() {
      const worker = new FakeWorker()
      forked.push(worker)
      return worker as unknown as Worker
    },
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns the nth process, in the order of their starts. */
function nth(index: number): FakeWorker {
  const worker = forked[index]
  if (!worker) throw new Error(`only ${forked.length} workers were started`)
  return worker
}

async function startAll() {
  const started = workers.start()
  for (const worker of [...forked]) worker.ready()
  return started
}

describe('the start', () => {
  test('is done when every worker serves, and greets as the one that made the administrator', async () => {
    const started = workers.start()
    const done = vi.fn()
    void started.then(done)
    nth(0).ready()
    await Promise.resolve()
    expect(done).not.toHaveBeenCalled()
    nth(1).ready('Mayfly is ready, with a password', true)
    expect((await started).text).toBe('Mayfly is ready, with a password')
  })

  test('fails with the message of a worker that cannot start', async () => {
    const started = workers.start()
    nth(0).ready()
    nth(1).report({ kind: 'fault', message: 'Port 1 is taken.' })
    nth(1).exit(1)
    await expect(started).rejects.toThrow(new StartFault('Port 1 is taken.'))
    expect(forked).toHaveLength(2)
  })

  test('fails when a worker is killed meanwhile', async () => {
    const started = workers.start()
    nth(0).exit(null, 'SIGKILL')
    await expect(started).rejects.toThrow('A worker ended while it started (SIGKILL).')
  })
})

describe('a worker that dies', () => {
  test('is replaced, and after longer pauses if its successors die too', async () => {
    await startAll()
    for (const pauseMs of [100, 200, 400, 800]) {
      const before = forked.length
      nth(before - 1).exit(null, 'SIGSEGV')
      vi.advanceTimersByTime(pauseMs - 1)
      expect(forked).toHaveLength(before)
      vi.advanceTimersByTime(1)
      expect(forked).toHaveLength(before + 1)
    }
    expect(lost).toEqual([])
  })

  test('is replaced after the shortest pause again once one has lived for long', async () => {
    await startAll()
    nth(1).exit(1)
    vi.advanceTimersByTime(100)
    nth(2).ready()
    vi.advanceTimersByTime(60_000)
    nth(2).exit(1)
    vi.advanceTimersByTime(100)
    expect(forked).toHaveLength(4)
  })

  test('never waits longer than 30 s', async () => {
    await startAll()
    for (let death = 0; death < 20; death += 1) {
      nth(forked.length - 1).exit(1)
      vi.advanceTimersByTime(30_000)
    }
    expect(forked).toHaveLength(22)
  })

  test('may fail to start again while another one serves', async () => {
    await startAll()
    nth(1).exit(1)
    vi.advanceTimersByTime(100)
    nth(2).report({ kind: 'fault', message: 'The database is away.' })
    nth(2).exit(1)
    vi.advanceTimersByTime(200)
    expect(forked).toHaveLength(4)
    expect(lost).toEqual([])
  })

  test('ends the whole if it cannot start again and none serves', async () => {
    await startAll()
    nth(0).exit(1)
    nth(1).exit(1)
    vi.advanceTimersByTime(1000)
    nth(2).report({ kind: 'fault', message: 'The database is away.' })
    nth(2).exit(1)
    expect(lost).toEqual([new StartFault('The database is away.')])
  })
})

describe('the end', () => {
  test('tells every worker to stop, waits for all, and replaces none', async () => {
    await startAll()
    const done = vi.fn()
    const closed = workers.close().then(done)
    expect(forked.map(({ sent }) => sent)).toEqual([['stop'], ['stop']])
    nth(0).exit(0)
    await Promise.resolve()
    expect(done).not.toHaveBeenCalled()
    nth(1).exit(0)
    await closed
    vi.advanceTimersByTime(60_000)
    expect(forked).toHaveLength(2)
  })

  test('does not wait for a worker that waits to be started', async () => {
    await startAll()
    nth(0).exit(1)
    const closed = workers.close()
    nth(1).exit(0)
    await closed
    vi.advanceTimersByTime(60_000)
    expect(forked).toHaveLength(2)
  })

  test('kills a worker that has not begun to serve', async () => {
    await startAll()
    nth(0).exit(1)
    vi.advanceTimersByTime(100)
    const closed = workers.close()
    expect(nth(2).process.kill).toHaveBeenCalledWith('SIGKILL')
    nth(1).exit(0)
    nth(2).exit(null, 'SIGKILL')
    await closed
  })

  test('kills a worker that hangs', async () => {
    await startAll()
    const closed = workers.close()
    nth(0).exit(0)
    vi.advanceTimersByTime(75_000)
    expect(nth(1).process.kill).toHaveBeenCalledWith('SIGKILL')
    nth(1).exit(null, 'SIGKILL')
    await closed
  })

  test('abandons all at once', async () => {
    await startAll()
    workers.abandon()
    for (const { process } of forked) expect(process.kill).toHaveBeenCalledWith('SIGKILL')
  })
})
