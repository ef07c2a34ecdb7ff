import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StartFault } from '../start-fault.ts'
import type { WorkerReport } from './messages.ts'
import { Workers } from './workers.ts'

/** A process that does what the test says. */
class FakeWorker extends EventEmitter {
  readonly sent: unknown[] = []
  readonly process: { pid: number | undefined; kill: ReturnType<typeof vi.fn> }

  constructor(pid: number | undefined) {
    super()
    this.process = { pid, kill: vi.fn() }
  }

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
let warnings: unknown[]
/**
 * What the next attempts to start a process do: they start it, report later that there can be no
 * more processes (`fail`), or throw that at once.
 */
let nextForks: 'start' | 'fail' | 'throw'
let workers: Workers

function workersWith({ drainMs = 0 } = {}) {
  return new Workers({
    count: 2,
    drainMs,
    log: { info() {}, warn: (...line: unknown[]) => void warnings.push(line), error() {} },
    onLost: (error) => void lost.push(error),
    fork() {
      if (nextForks === 'throw') throw new Error('spawn ENOMEM')
      const worker = new FakeWorker(nextForks === 'fail' ? undefined : forked.length + 1)
      forked.push(worker)
      return worker as unknown as Worker
    },
  })
}

beforeEach(() => {
  vi.useFakeTimers()
  forked = []
  lost = []
  warnings = []
  nextForks = 'start'
  workers = workersWith()
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

  test('fails when the system has no process for a worker, whichever way it says so', async () => {
    const fault = 'A worker process could not be started: spawn '
    nextForks = 'fail'
    const started = workers.start()
    nth(0).emit('error', new Error('spawn EAGAIN'))
    await expect(started).rejects.toThrow(new StartFault(`${fault}EAGAIN`))
    nextForks = 'throw'
    await expect(workersWith().start()).rejects.toThrow(new StartFault(`${fault}ENOMEM`))
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

  test('is replaced after the shortest pause again once one has served for 5 s', async () => {
    await startAll()
    nth(1).exit(1)
    vi.advanceTimersByTime(100)
    nth(2).ready()
    vi.advanceTimersByTime(5_000)
    nth(2).exit(1)
    vi.advanceTimersByTime(100)
    expect(forked).toHaveLength(4)
  })

  test('had served when it was killed: its place is taken soon, however often that happens', async () => {
    await startAll()
    for (let kill = 0; kill < 10; kill += 1) {
      const before = forked.length
      vi.advanceTimersByTime(5_000)
      nth(before - 1).exit(null, 'SIGKILL')
      vi.advanceTimersByTime(100)
      expect(forked).toHaveLength(before + 1)
      nth(before).ready()
    }
  })

  test('took long to start and died before it served: the pauses get longer all the same', async () => {
    await startAll()
    nth(1).exit(1)
    vi.advanceTimersByTime(100)
    vi.advanceTimersByTime(60_000)
    nth(2).exit(1)
    vi.advanceTimersByTime(199)
    expect(forked).toHaveLength(3)
    vi.advanceTimersByTime(1)
    expect(forked).toHaveLength(4)
  })

  test.each(['fail', 'throw'] as const)(
    'is replaced once the system has processes again (%s)',
    async (how) => {
      await startAll()
      nth(1).exit(1)
      nextForks = how
      vi.advanceTimersByTime(100)
      if (how === 'fail') nth(2).emit('error', new Error('spawn EAGAIN'))
      const before = forked.length
      nextForks = 'start'
      vi.advanceTimersByTime(199)
      expect(forked).toHaveLength(before)
      vi.advanceTimersByTime(1)
      expect(forked).toHaveLength(before + 1)
      expect(lost).toEqual([])
    },
  )

  test('is replaced once, although a process that never ran reports an error and an exit', async () => {
    await startAll()
    nth(1).exit(1)
    nextForks = 'fail'
    vi.advanceTimersByTime(100)
    nth(2).emit('error', new Error('spawn ENOENT'))
    nth(2).exit(-2)
    nextForks = 'start'
    vi.advanceTimersByTime(30_000)
    expect(forked).toHaveLength(4)
  })

  test('is not noted twice when a message to it fails before its exit', async () => {
    await startAll()
    nth(1).emit('error', new Error('write EPIPE'))
    vi.advanceTimersByTime(30_000)
    expect(forked).toHaveLength(2)
    expect(workers.serving()).toHaveLength(2)
  })

  test('ends the whole where the system has no process for another and none serves', async () => {
    await startAll()
    nth(0).exit(1)
    nth(1).exit(1)
    nextForks = 'throw'
    vi.advanceTimersByTime(100)
    expect(lost).toEqual([new StartFault('A worker process could not be started: spawn ENOMEM')])
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

  test('hangs while it starts again: it is killed after a minute, and replaced', async () => {
    await startAll()
    nth(1).exit(1)
    vi.advanceTimersByTime(100)
    vi.advanceTimersByTime(59_999)
    expect(nth(2).process.kill).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(nth(2).process.kill).toHaveBeenCalledExactlyOnceWith('SIGKILL')
    expect(warnings).toEqual([[{ pid: 3 }, 'A worker did not start in time, and is killed']])
    nth(2).exit(null, 'SIGKILL')
    vi.advanceTimersByTime(200)
    nth(3).ready()
    vi.advanceTimersByTime(600_000)
    expect(nth(3).process.kill).not.toHaveBeenCalled()
    expect(forked).toHaveLength(4)
    expect(lost).toEqual([])
  })

  test('has no limit at the first start, which may migrate a large database', async () => {
    const started = workers.start()
    vi.advanceTimersByTime(3_600_000)
    for (const worker of forked) {
      expect(worker.process.kill).not.toHaveBeenCalled()
      worker.ready()
    }
    await started
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

  test.each([
    ['after 75 s', 0],
    ['after the time that it goes on answering, and 75 s', 600_000],
  ])('kills a worker that hangs, %s, and says so', async (_, drainMs) => {
    workers = workersWith({ drainMs })
    await startAll()
    const closed = workers.close()
    nth(0).exit(0)
    vi.advanceTimersByTime(drainMs + 74_999)
    expect(nth(1).process.kill).not.toHaveBeenCalled()
    expect(warnings).toEqual([])
    vi.advanceTimersByTime(1)
    expect(nth(1).process.kill).toHaveBeenCalledWith('SIGKILL')
    expect(warnings).toEqual([[{ pids: [2] }, 'Workers did not stop in time, and are killed']])
    nth(1).exit(null, 'SIGKILL')
    await closed
  })

  test('kills nobody when all have ended in time', async () => {
    await startAll()
    const closed = workers.close()
    for (const worker of forked) worker.exit(0)
    await closed
    vi.advanceTimersByTime(1_000_000)
    expect(warnings).toEqual([])
  })

  test('abandons all at once', async () => {
    await startAll()
    workers.abandon()
    for (const { process } of forked) expect(process.kill).toHaveBeenCalledWith('SIGKILL')
  })
})
