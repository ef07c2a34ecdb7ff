import type { LetterContent } from '../../../src/server/email/letter.ts'
import { addressTakenLetter } from '../../../src/server/email/letters/address-taken.ts'
import { feedbackDigestLetter, feedbackLetter } from '../../../src/server/email/letters/feedback.ts'
import { fileLetter } from '../../../src/server/email/letters/files.ts'
import { googleLinkedLetter } from '../../../src/server/email/letters/google-linked.ts'
import { passwordChangedLetter } from '../../../src/server/email/letters/password-changed.ts'
import { reportLetter } from '../../../src/server/email/letters/report.ts'
import { resetPasswordLetter } from '../../../src/server/email/letters/reset-password.ts'
import { takedownLetter } from '../../../src/server/email/letters/takedown.ts'
import { testLetter } from '../../../src/server/email/letters/test.ts'
import { trialEndedLetter } from '../../../src/server/email/letters/trial-ended.ts'
import { trialEndsLetter } from '../../../src/server/email/letters/trial-ends.ts'
import {
  verifyAccountLetter,
  verifyEmailLetter,
} from '../../../src/server/email/letters/verify-email.ts'
import { defaultLimits } from '../../../src/shared/rules/tiers/tier-limits.ts'

const origin = 'https://files.example.org'
const name = 'Ada'
const email = 'ada@example.org'
const supportEmail = 'support@example.org'
const moment = 'Tue 24 Nov 2026, 14:02 UTC'
const browser = 'Firefox on Linux'
const loginPage = `${origin}/login`
const dashboard = `${origin}/`
const limits = defaultLimits.free
const link = `${origin}/verify-email?token=${'a'.repeat(43)}`

/**
 * The letters that each file in `src/server/email/letters` can write, with everything that they can
 * contain.
 */
export const letters: Readonly<Record<string, readonly LetterContent[]>> = {
  'address-taken': [addressTakenLetter({ name, email, signedUpAt: moment, browser, loginPage })],
  feedback: [
    feedbackLetter({ name, email, category: null, message: 'One\nTwo', createdAt: new Date(0) }),
    feedbackDigestLetter({
      from: new Date(0),
      until: new Date(1),
      all: 1042,
      suspect: 12,
      adminCenter: origin,
    }),
  ],
  files: [
    fileLetter('link-ends', {
      name,
      namesFiles: true,
      files: Array.from({ length: 12 }, (_, n) => {
        return { name: `file ${n}.pdf`, endsAt: moment, isOpen: n % 2 === 0 }
      }),
      fileManager: `${origin}/files`,
    }),
  ],
  'google-linked': [
    googleLinkedLetter({ name, email, linkedAt: moment, tookOver: true, loginPage, supportEmail }),
  ],
  'password-changed': [
    passwordChangedLetter({
      name,
      email,
      changedAt: moment,
      changedBy: 'letter',
      removedGoogle: false,
      loginPage,
      supportEmail,
    }),
  ],
  report: [
    reportLetter({
      fileName: 'invoice.pdf',
      link: `${origin}/s/k7RmTq9XbW`,
      count: 12,
      reason: 'It is malware.\nThree scanners say so.',
      email,
      reportedAt: new Date(0),
      adminCenter: `${origin}/admin`,
    }),
  ],
  'reset-password': [
    resetPasswordLetter({ name, email, link, askedAt: moment, hasPassword: true }),
  ],
  takedown: [
    takedownLetter({
      name,
      fileNames: Array.from({ length: 12 }, (_, n) => `file ${n}.pdf`),
      count: 12,
      reason: 'It is malware.\nThree scanners say so.',
      takenDownAt: moment,
      supportEmail,
    }),
  ],
  test: [testLetter({ origin })],
  'trial-ended': [trialEndedLetter({ name, endsAt: moment, limits, dashboard })],
  'trial-ends': [trialEndsLetter({ name, left: '3 days', endsAt: moment, limits, dashboard })],
  'verify-email': [
    verifyEmailLetter({ email, link, signedUpAt: moment, browser }),
    verifyAccountLetter({ email, link, askedAt: moment, loginPage }),
  ],
}
