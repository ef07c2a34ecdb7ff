import { describe, expect, it } from 'vitest'
import type { JobRecord } from '../../jobs/queries.ts'
import { jobFinding } from './job-finding.ts'
import { spanText } from './span-text.ts'

const minute = 60_000
const hour = 60 * minute
const now = new Date('2026-11-21T11:30:30Z')

function dateAgo(ms: number) {
  return new Date(now.getTime() - ms)
}

function createRun(ms: number, result = {}) {
  return { startedAt: dateAgo(ms), endedAt: dateAgo(ms), result }
}

function createFailure(ms: number, consecutiveFailures: number) {
  return { at: dateAgo(ms), reason: 'no room', consecutiveFailures }
}

/**
 * A job that is scheduled for every minute but has never run, although it was scheduled long ago.
 */
const job: JobRecord = {
  name: 'expire-files',
  cron: '* * * * *',
  scheduledAt: dateAgo(1000 * hour),
  success: null,
  failure: null,
  runningSince: null,
}
const dailyJob = { ...job, cron: '17 3 * * *' }

function makeFinding(record: Partial<JobRecord>, serverStartedAt = dateAgo(100 * hour)) {
  return jobFinding({ ...job, ...record }, { now, serverStartedAt })
}

describe('a job', () => {
  it.each<[string, Partial<JobRecord>, string]>([
    ['that ran 30 seconds ago', { success: createRun(30_000) }, 'ok'],
    ['that last ran two intervals and 15 minutes ago', { success: createRun(17 * minute) }, 'ok'],
    ['that last ran a minute in the future', { success: createRun(-minute) }, 'ok'],
    [
      'that last ran more than a minute in the future',
      { success: createRun(-minute - 1) },
      'failing',
    ],
    ['that last failed in the future', { failure: createFailure(-hour, 1) }, 'failing'],
    [
      'that is running, after a run in the future',
      { success: createRun(-hour), runningSince: now },
      'ok',
    ],
    [
      'that last ran more than two intervals and 15 minutes ago',
      { success: createRun(17 * minute + 1) },
      'failing',
    ],
    ['that never ran', {}, 'failing'],
    ['that was scheduled a minute ago', { scheduledAt: dateAgo(minute) }, 'ok'],
    [
      'that has been running for hours',
      { success: createRun(5 * hour), runningSince: dateAgo(5 * hour) },
      'ok',
    ],
    [
      'that just failed once',
      { success: createRun(hour), failure: createFailure(minute, 1) },
      'warning',
    ],
    ['that failed twice', { failure: createFailure(minute, 2) }, 'warning'],
    ['that failed three times', { failure: createFailure(minute, 3) }, 'failing'],
    [
      'that failed an hour ago and has not run since',
      { failure: createFailure(hour, 1) },
      'failing',
    ],
    [
      'that runs daily and last ran 9 hours ago',
      { ...dailyJob, success: createRun(9 * hour) },
      'ok',
    ],
    [
      'that runs daily and last ran 33 hours ago',
      { ...dailyJob, success: createRun(33 * hour) },
      'ok',
    ],
    [
      'that runs daily and last ran 57 hours ago',
      { ...dailyJob, success: createRun(57 * hour) },
      'failing',
    ],
  ])('%s', (_, record, status) => {
    expect(makeFinding(record).status).toBe(status)
  })

  it("that hasn't run or succeeded yet says so", () => {
    const getMessage = (record: Partial<JobRecord>) =>
      makeFinding({ ...dailyJob, scheduledAt: now, ...record }).message
    expect(getMessage({})).toMatch(/^It has not run yet\. Next run: /)
    expect(getMessage({ runningSince: dateAgo(minute) })).toMatch(
      /^No run has finished yet\. Running since /,
    )
    expect(getMessage({ failure: createFailure(minute, 1) })).toContain('It has not succeeded yet.')
  })

  it("is not overdue within 15 minutes of the server's start", () => {
    expect(makeFinding({}, dateAgo(15 * minute)).status).toBe('ok')
    expect(makeFinding({}, dateAgo(15 * minute + 1)).status).toBe('failing')
  })

  it('shows its last run, its result and its next run', () => {
    expect(makeFinding({ success: createRun(minute, { purged: 12, failed: 0 }) })).toEqual({
      status: 'ok',
      message:
        'Last success: Sat 21 Nov, 11:29 UTC: 12 files deleted from storage, 0 failed (will be retried). Next run: Sat 21 Nov, 11:31 UTC.',
      cure: '',
    })
    expect(
      makeFinding({ ...dailyJob, success: createRun(9 * hour), runningSince: dateAgo(hour) })
        .message,
    ).toBe(
      'Last success: Sat 21 Nov, 02:30 UTC. Running since Sat 21 Nov, 10:30 UTC. Next run: Sun 22 Nov, 03:17 UTC.',
    )
  })

  it('reports a last run in the future, which a clock correction can cause', () => {
    expect(makeFinding({ success: createRun(-4 * 24 * hour) })).toEqual({
      status: 'failing',
      message:
        'Its last run is recorded for Wed 25 Nov, 11:30 UTC, in the future: a clock was ahead then, or is behind now. Next run: Sat 21 Nov, 11:31 UTC.',
      cure: expect.stringContaining('the check Clock'),
    })
  })

  it('shows how often, when and why it failed', () => {
    expect(makeFinding({ failure: createFailure(minute, 3) })).toMatchObject({
      message:
        'The last 3 runs failed, the newest on Sat 21 Nov, 11:29 UTC: no room. It has not succeeded yet. Next run: Sat 21 Nov, 11:31 UTC.',
      cure: expect.stringContaining('"job failed"'),
    })
  })
})

it.each([
  [0, '1 second'],
  [1000, '1 second'],
  [119_000, '119 seconds'],
  [120_000, '2 minutes'],
  [24 * hour, '24 hours'],
  [49 * hour, '2 days'],
])('a span of %d ms is %s', (ms, text) => {
  expect(spanText(ms)).toBe(text)
})
