import { describe, expect, it, test } from 'vitest'
import { maxUserResults } from '../../shared/contract/admin.ts'
import {
  deletionText,
  describeUserList,
  displayName,
  downgradeText,
  isSameAddress,
  tierText,
} from './user-text.ts'

const now = new Date('2026-11-21T11:00:00Z')

describe('the note next to the list of users', () => {
  it.each([
    [{ search: '', shownCount: 5, total: 1_234_567 }, 'The 5 newest of 1,234,567'],
    [{ search: '', shownCount: 5, total: 5 }, '5 users'],
    [{ search: '', shownCount: 1, total: 1 }, '1 user'],
    [{ search: '', shownCount: 5, total: undefined }, '5 users'],
    [{ search: 'ada', shownCount: 0, total: 9 }, '0 found'],
    [{ search: 'ada', shownCount: 12, total: 9 }, '12 found'],
    [{ search: 'a', shownCount: maxUserResults, total: 900 }, 'The 50 newest that match'],
  ])('for %j', (summary, text) => expect(describeUserList(summary)).toBe(text))
})

test("shows a user's name, or the email address if there is none, and shortens long ones", () => {
  expect(displayName({ name: 'Mira Oake', email: 'mira@example.org' })).toBe('Mira Oake')
  expect(displayName({ name: ' ', email: 'mira@example.org' })).toBe('mira@example.org')
  expect(displayName({ name: 'x'.repeat(200), email: '' })).toHaveLength(40)
})

test.each([
  ['free' as const, null, 'Free'],
  // A free user whose trial has ended still has the trial's end date.
  ['free' as const, '2026-11-20T11:00:00Z', 'Free'],
  ['premium' as const, null, 'Premium'],
  ['premium' as const, '2026-11-21T11:00:01Z', 'Premium, trial'],
  ['premium' as const, '2026-11-21T11:00:00Z', 'Premium'],
])('the badge of a %s user whose trial ends at %s says %s', (tier, premiumTrialEndsAt, text) => {
  expect(tierText({ tier, premiumTrialEndsAt }, now)).toBe(text)
})

test('the downgrade warning mentions the lost files and the end of a trial', () => {
  const trialLostText =
    'Files of this user whose links have ended are deleted within minutes, because only Premium can renew them. Open links stay open until their own dates.'
  const premiumUser = { tier: 'premium' as const }
  expect(downgradeText({ ...premiumUser, premiumTrialEndsAt: null }, now)).toBe(
    `${trialLostText} This cannot be undone.`,
  )
  expect(downgradeText({ ...premiumUser, premiumTrialEndsAt: '2026-11-22T11:00:00Z' }, now)).toBe(
    `${trialLostText} The rest of the trial is lost, and there is no second trial. This cannot be undone.`,
  )
})

test('the deletion warning lists everything that is deleted', () => {
  const otherDataText = 'uploads under way, brand and queued emails'
  expect(deletionText({ fileCount: 0, sessionCount: 0 })).toBe(
    `This account has no files. Its ${otherDataText} are deleted with it. This cannot be undone.`,
  )
  expect(deletionText({ fileCount: 1, sessionCount: 1 })).toBe(
    `1 file with its link is deleted with this account, as well as its 1 open session, ${otherDataText}. This cannot be undone.`,
  )
  expect(deletionText({ fileCount: 1902, sessionCount: 3 })).toBe(
    `1,902 files with their links are deleted with this account, as well as its 3 open sessions, ${otherDataText}. This cannot be undone.`,
  )
})

test('ignores case and surrounding spaces when comparing email addresses', () => {
  expect(isSameAddress(' Mira@Example.org ', 'mira@example.org')).toBe(true)
  for (const input of ['', 'mira@example.or', 'mira @example.org', 'mira@example.org.']) {
    expect(isSameAddress(input, 'mira@example.org')).toBe(false)
  }
})
