import type { EmailContent } from '../../../src/server/email/email.ts'
import {
  addressTakenEmail,
  googleLinkedEmail,
  passwordChangedEmail,
  resetPasswordEmail,
  verifyAccountEmail,
  verifySignupEmail,
} from '../../../src/server/email/templates/account.ts'
import { fileEmail, takedownEmail } from '../../../src/server/email/templates/files.ts'
import { linkEmail } from '../../../src/server/email/templates/links.ts'
import { deliveryEmail, requestReminder } from '../../../src/server/email/templates/requests.ts'
import {
  feedbackDigestEmail,
  feedbackEmail,
  reportEmail,
  testEmail,
} from '../../../src/server/email/templates/support.ts'
import { trialEndedEmail, trialEndsEmail } from '../../../src/server/email/templates/trial.ts'
import { defaultLimits } from '../../../src/shared/rules/tiers/tier-limits.ts'

const origin = 'https://files.example.org'
const name = 'Ada'
const email = 'ada@example.org'
const supportEmail = 'support@example.org'
const formattedTime = 'Tue 24 Nov 2026, 14:02 UTC'
const browser = 'Firefox on Linux'
const loginUrl = `${origin}/login`
const dashboardUrl = `${origin}/`
const limits = defaultLimits.free
const link = `${origin}/verify-email?token=${'a'.repeat(43)}`

const request = { name, title: 'Photographs', requestsPage: `${origin}/?tab=requests` }
const sentLink = {
  message: 'As promised.\nRead page 3.',
  files: { name: 'minutes.pdf and 2 more', count: 3, size: '12 MB' },
  endsAt: formattedTime,
  url: `${origin}/s/k7RmTq9XbW`,
  host: 'files.example.org',
  optOutUrl: `${origin}/opt-out/${'a'.repeat(43)}.${'b'.repeat(43)}`,
}

/** Sample emails from each template, with all optional parts. */
export const emails: Readonly<Record<string, readonly EmailContent[]>> = {
  account: [
    verifySignupEmail({ email, link, signedUpAt: formattedTime, browser }),
    verifyAccountEmail({ email, link, askedAt: formattedTime, loginPage: loginUrl }),
    addressTakenEmail({ name, email, signedUpAt: formattedTime, browser, loginPage: loginUrl }),
    resetPasswordEmail({ name, email, link, askedAt: formattedTime, hasPassword: true }),
    passwordChangedEmail({
      name,
      email,
      changedAt: formattedTime,
      changedBy: 'email',
      removedGoogle: false,
      loginPage: loginUrl,
      supportEmail,
    }),
    googleLinkedEmail({
      name,
      email,
      linkedAt: formattedTime,
      tookOver: true,
      loginPage: loginUrl,
      supportEmail,
    }),
  ],
  files: [
    fileEmail('link-ends', {
      name,
      namesFiles: true,
      links: Array.from({ length: 12 }, (_, n) => {
        return { name: `file ${n}.pdf`, endsAt: formattedTime, isOpen: n % 2 === 0 }
      }),
      fileManager: `${origin}/files`,
    }),
    takedownEmail({
      name,
      fileNames: Array.from({ length: 12 }, (_, n) => `file ${n}.pdf`),
      count: 12,
      reason: 'It is malware.\nThree scanners say so.',
      takenDownAt: formattedTime,
      supportEmail,
    }),
  ],
  links: [
    linkEmail({ ...sentLink, sender: { name: 'Ada Lovelace', email, brand: null } }),
    {
      ...linkEmail({
        ...sentLink,
        sender: { name: 'Ada Lovelace', email, brand: 'Lovelace & Co' },
      }),
      brand: { name: 'Lovelace & Co', accent: '#ffd400', logo: null },
    },
    linkEmail({
      ...sentLink,
      sender: { name: 'Ada Lovelace', email, brand: null },
      message: null,
      files: null,
      endsAt: null,
    }),
  ],
  requests: [
    deliveryEmail({
      ...request,
      deliveries: Array.from({ length: 12 }, (_, n) => {
        return { senderName: n % 2 === 0 ? 'Grace' : null, fileCount: n + 1, size: '12 MB' }
      }),
    }),
    requestReminder({ ...request, closesAt: formattedTime }),
  ],
  support: [
    feedbackEmail({ name, email, category: null, message: 'One\nTwo', createdAt: new Date(0) }),
    feedbackDigestEmail({
      from: new Date(0),
      until: new Date(1),
      all: 1042,
      suspect: 12,
      adminCenter: origin,
    }),
    reportEmail({
      fileName: 'invoice.pdf',
      link: `${origin}/s/k7RmTq9XbW`,
      count: 12,
      reason: 'It is malware.\nThree scanners say so.',
      email,
      reportedAt: new Date(0),
      adminCenter: `${origin}/admin`,
    }),
    testEmail({ origin }),
  ],
  trial: [
    trialEndedEmail({ name, endsAt: formattedTime, limits, dashboard: dashboardUrl }),
    trialEndsEmail({ name, endsAt: formattedTime, limits, dashboard: dashboardUrl }, '3 days'),
  ],
}
