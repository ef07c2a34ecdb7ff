import { describe, expect, it } from 'vitest'
import { auditActionNames, auditActions } from '../../shared/rules/accounts/audit-action.ts'
import { affectedUserText, auditText } from './audit-text.ts'

const freeState = { tier: 'free', trialEndsAt: null }
const premiumState = { tier: 'premium', trialEndsAt: null }
const trialState = { tier: 'premium', trialEndsAt: '2026-12-21T11:00:00.000Z' }

describe('the text of an audit log entry', () => {
  it.each([
    [{ reason: 'trial', from: freeState, to: trialState }, 'Tier: Free to Premium (trial)'],
    [{ reason: 'trial', from: trialState, to: freeState }, 'Tier: Premium to Free (trial ended)'],
    [{ reason: 'preview', from: trialState, to: premiumState }, 'Tier: Premium (trial ended)'],
    [{ reason: 'administrator', from: freeState, to: premiumState }, 'Tier: Free to Premium'],
    [{ reason: 'administrator', from: premiumState, to: freeState }, 'Tier: Premium to Free'],
  ])('describes a tier change: %j', (details, text) => {
    expect(auditText({ action: 'set-tier', details })).toBe(text)
  })

  it.each([
    ['session', 'Changed the password'],
    ['email', 'Reset the password by email'],
    ['taking-over', 'Verified the address and replaced the earlier password'],
  ])('describes a password change by %s', (by, text) => {
    expect(auditText({ action: 'change-password', details: { by } })).toBe(text)
  })

  it.each([
    ['session', 'Linked Google'],
    ['address', 'Linked Google (same address)'],
    ['taking-over', 'Linked Google and replaced an unverified account'],
  ])('describes a Google link by %s', (by, text) => {
    expect(auditText({ action: 'link-google', details: { by } })).toBe(text)
  })

  it.each([
    [{ key: 'premium_price', from: '8', to: '9.5' }, 'Premium price: $8 to $9.50'],
    [{ key: 'premium_price', from: null, to: '9' }, 'Premium price: the default to $9'],
    [{ key: 'app_version', from: 'v1', to: 'v2' }, 'App version: v1 to v2'],
    [{ key: 'email_signature', from: 'a\nb', to: 'c' }, 'Email signature changed'],
    [
      { key: 'free_max_file_size', from: '524288000', to: '1048576' },
      'Free max file size: 500MB to 1MB',
    ],
    [{ key: 'storage_cap', from: 'unlimited', to: '1073741824' }, 'Storage cap: unlimited to 1GB'],
    [{ key: 'free_space', from: '0', to: '1073741824' }, 'Free space: 0 to 1GB'],
    [
      { key: 'premium_expiration_days', from: '3,5,7', to: '1,3' },
      'Premium expiration days: 3, 5, 7 to 1, 3',
    ],
    [{ key: 'premium_max_files', from: null, to: '9' }, 'Premium max files: the default to 9'],
  ])('describes a setting change: %j', (details, text) => {
    expect(auditText({ action: 'change-setting', details })).toBe(text)
  })

  it.each([
    ['delete-user', { email: 'a@example.org', deletedFiles: 1 }, 'Deleted a user, with 1 file'],
    ['clean-up-expired', { deletedCount: 1234 }, 'Cleaned up expired files: 1,234'],
    ['expire-files', { expiredCount: 12, failed: 0 }, 'Expired files: 12'],
    ['expire-files', { expiredCount: 0, failed: 2 }, 'Expired files: 0, 2 failed'],
    ['expire-trials', { expiredCount: 3 }, 'Expired trials: 3'],
    ['sanitize-file-names', { updated: 4, errors: 1 }, 'Sanitized filenames: 4'],
    ['set-role', { from: 'user', to: 'admin' }, 'Role: User to Administrator'],
    ['test-storage', { store: 'disk', connected: true }, 'Tested the storage connection: OK'],
    ['test-mail', { success: false }, 'Sent a test email: failed'],
    ['test-storage-upload', { size: 1 }, 'Tested a storage upload'],
    ['take-down', { shortCode: 'abc', reason: 'Malware.' }, 'Took /s/abc down: Malware.'],
    [
      'block-content',
      { shortCode: 'abc', reason: 'Spam.' },
      'Blocked the content of /s/abc: Spam.',
    ],
    ['delete-feedback', { feedbackId: 'x', isSuspect: true }, 'Deleted feedback'],
    ['dismiss-report', { shortCode: 'abc', count: 2 }, 'Dismissed a report'],
  ] as const)('describes %s: %j', (action, details, text) => {
    expect(auditText({ action, details })).toBe(text)
  })

  it('identifies a deleted user by email address', () => {
    const details = { email: 'a@example.org' }
    expect(affectedUserText({ action: 'delete-user', subject: 'id', details })).toBe(
      'a@example.org',
    )
    expect(affectedUserText({ action: 'delete-user', subject: 'id', details: {} })).toBe('id')
    expect(affectedUserText({ action: 'set-tier', subject: 'b@example.org', details })).toBe(
      'b@example.org',
    )
    expect(affectedUserText({ action: 'change-setting', subject: null, details: {} })).toBe(null)
  })

  it.each(auditActions)('falls back to the action name for %s with unknown details', (action) => {
    const unknownDetails = [{ by: 1, key: 'x' }, { by: 'constructor' }, { reason: 'x', from: null }]
    for (const details of [{}, ...unknownDetails]) {
      expect(auditText({ action, details })).toBe(auditActionNames[action])
    }
  })
})
