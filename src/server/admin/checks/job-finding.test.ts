import { describe, expect, it } from 'vitest'
import { findingOfJob } from './job-finding.ts'
import type { JobFacts } from './queries.ts'
import { spanText } from './span-text.ts'

const minute = 60_000
const hour = 60 * minute
const now = new Date('2026-11-21T11:30:30Z')

function ago(ms: number) {
  return new Date(now.getTime() - ms)
}

function ran(ms: number, result = {}) {
  return { startedAt: ago(ms), endedAt: ago(ms), result }
}

function failed(ms: number, inARow: number) {
  return { at: ago(ms), reason: 'no room', inARow }
}

/** A job that runs every minute, scheduled long ago and never run. */
const job: JobFacts = {
  name: 'expire-files',
  cron: '* * * * *',
  scheduledAt: ago(1000 * hour),
  success: null,
  failure: null,
  runsSince: null,
}
const daily = { ...job, cron: '17 3 * * *' }

function find(facts: Partial<JobFacts>, serverStartedAt = ago(100 * hour)) {
  return findingOfJob({ ...job, ...facts }, { now, serverStartedAt })
}

describe('a job', () => {
  it.each<[string, Partial<JobFacts>, string]>([
    ['that ran 30 seconds ago', { success: ran(30_000) }, 'ok'],
    ['that last ran two intervals and 15 minutes ago', { success: ran(17 * minute) }, 'ok'],
    ['that last ran a minute in the future', { success: ran(-minute) }, 'ok'],
    ['that last ran more than a minute in the future', { success: ran(-minute - 1) }, 'failing'],
    ['that last failed in the future', { failure: failed(-hour, 1) }, 'failing'],
    ['that is running, after a run in the future', { success: ran(-hour), runsSince: now }, 'ok'],
    [
      'that last ran more than two intervals and 15 minutes ago',
      { success: ran(17 * minute + 1) },
      'failing',
    ],
    ['that never ran', {}, 'failing'],
    ['that was scheduled a minute ago', { scheduledAt: ago(minute) }, 'ok'],
    ['that has been running for hours', { success: ran(5 * hour), runsSince: ago(5 * hour) }, 'ok'],
    ['that just failed once', { success: ran(hour), failure: failed(minute, 1) }, 'warning'],
    ['that failed twice', { failure: failed(minute, 2) }, 'warning'],
    ['that failed three times', { failure: failed(minute, 3) }, 'failing'],
    ['that failed an hour ago and has not run since', { failure: failed(hour, 1) }, 'failing'],
    ['that runs daily and last ran 9 hours ago', { ...daily, success: ran(9 * hour) }, 'ok'],
    ['that runs daily and last ran 33 hours ago', { ...daily, success: ran(33 * hour) }, 'ok'],
    ['that runs daily and last ran 57 hours ago', { ...daily, success: ran(57 * hour) }, 'failing'],
  ])('%s', (_, facts, status) => {
    expect(find(facts).status).toBe(status)
  })

  it("that hasn't run says so, and mentions success only after a failure", () => {
    const messageOf = (facts: Partial<JobFacts>) =>
      find({ ...daily, scheduledAt: now, ...facts }).message
    expect(messageOf({})).toMatch(/^It has not run yet\. Next run: /)
    expect(messageOf({ runsSince: ago(minute) })).toMatch(
      /^No run has finished yet\. Running since /,
    )
    expect(messageOf({ failure: failed(minute, 1) })).toContain('It has not succeeded yet.')
  })

  it('gets 15 minutes after the server starts', () => {
    expect(find({}, ago(15 * minute)).status).toBe('ok')
    expect(find({}, ago(15 * minute + 1)).status).toBe('failing')
  })

  it('shows its last run, its result and its next run', () => {
    expect(find({ success: ran(minute, { purged: 12, failed: 0 }) })).toEqual({
      status: 'ok',
      message:
        'Last success: Sat 21 Nov, 11:29 UTC: 12 files deleted from storage, 0 failed (will be retried). Next run: Sat 21 Nov, 11:31 UTC.',
      cure: '',
    })
    expect(find({ ...daily, success: ran(9 * hour), runsSince: ago(hour) }).message).toBe(
      'Last success: Sat 21 Nov, 02:30 UTC. Running since Sat 21 Nov, 10:30 UTC. Next run: Sun 22 Nov, 03:17 UTC.',
    )
  })

  it('reports a last run in the future, as after a clock correction', () => {
    expect(find({ success: ran(-4 * 24 * hour) })).toEqual({
      status: 'failing',
      message:
        'Its last run is recorded for Wed 25 Nov, 11:30 UTC, in the future: a clock was ahead then, or is behind now. Next run: Sat 21 Nov, 11:31 UTC.',
      cure: expect.stringContaining('the check Clock'),
    })
  })

  it('shows how often, when and why it failed', () => {
    expect(find({ failure: failed(minute, 3) })).toMatchObject({
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
