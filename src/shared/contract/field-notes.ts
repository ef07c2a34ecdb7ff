import { tiers } from '../rules/tiers/tier.ts'

/** What a field of the API means, and an example value. */
export interface FieldNote {
  note: string
  example?: unknown
}

type Notes = Readonly<Record<string, FieldNote>>

const exampleKey = 'Kd7cQmXw3tRb9NfPeYhA4'
const exampleId = '3f6c1a52-8d0e-4b7a-9c15-2e8f4d6b7a90'
const exampleSha256 = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'
const day = '2025-07-12T10:02:00.000Z'

/** Fields that mean the same in requests and in answers. */
const everywhere: Notes = {
  cloudKey: { note: 'The key of the upload, from the answer to its start.', example: exampleKey },
  sha256: {
    note: 'The SHA-256 of the whole file, in hexadecimal. In an answer: null until it is known.',
    example: exampleSha256,
  },
  partNumber: { note: 'The number of the part, from 1.', example: 1 },
  tier: { note: 'What the account may use.', example: tiers.at(-1) },
  firstName: { note: 'The first name.', example: 'Ada' },
  lastName: { note: 'The last name.', example: 'Lovelace' },
  accent: { note: 'The colour of buttons and bars, as `#rrggbb`.', example: '#0b6e63' },
  defaultExpirationDays: { note: 'The days that new uploads begin with.', example: 5 },
  mailOnFirstDownload: { note: 'Whether an email tells of the first download of each file.' },
  mailBeforeExpiry: { note: 'Whether an email comes a day before a link ends.' },
  category: { note: 'What the feedback is about.', example: 'feature' },
  shortCode: { note: 'The end of the link: `/s/{shortCode}`.', example: 'k7RmTq9XbW' },
}

/** Fields of requests. */
const inRequests: Notes = {
  ...everywhere,
  fileName: {
    note: 'The name of the file. It is cleaned; `metadata.originalName` of the answer has the result.',
    example: 'report.pdf',
  },
  fileSize: {
    note: 'The exact size in bytes. It becomes part of the signature.',
    example: 20_971_520,
  },
  fileType: {
    note: 'The media type. An empty one becomes `application/octet-stream`.',
    example: 'application/pdf',
  },
  expirationDays: { note: 'How many days the link works. What the tier allows.', example: '3' },
  ownerId: {
    note: 'The id of the user who is believed to be signed in. Another one is answered 401.',
    example: exampleKey,
  },
  files: { note: 'The files to start, each as in `get-upload-url`.' },
  uploads: { note: 'The uploads to finish, each as in `confirm-upload`.' },
  idempotencyKey: {
    note: 'A key of your choice. The same key again answers the same open upload, so a lost answer costs nothing.',
    example: 'report.pdf 2025-07-12',
  },
  metadata: { note: 'As the start answered it. The server trusts none of it.', example: {} },
  uploadStartTime: {
    note: 'When the upload began, in milliseconds since 1970 or as a date.',
    example: day,
  },
  partNumbers: { note: 'Which parts to sign, from 1.', example: [13, 14] },
  limit: { note: 'The most entries in the answer.', example: 100 },
  sort: { note: 'The order. A `-` in front means descending.', example: '-date' },
  cursor: { note: 'Where to go on: `x-next-cursor` of the page before.' },
  search: { note: 'A text to look for.', example: 'report' },
  expiring: { note: '`soon` for links that end within 24 hours.', example: 'soon' },
  from: { note: 'The first moment that counts.', example: day },
  to: { note: 'The first moment that no longer counts.', example: day },
  fileIds: { note: 'The ids of the files.', example: [exampleId] },
  id: { note: 'The id.', example: exampleId },
  code: { note: 'The short code of the link.', example: 'k7RmTq9XbW' },
  email: { note: 'The email address.', example: 'ada@example.org' },
  password: { note: 'The password.', example: 'correct horse battery' },
  confirmPassword: { note: 'The same password again.', example: 'correct horse battery' },
  currentPassword: {
    note: 'The password that the account has now.',
    example: 'correct horse battery',
  },
  newPassword: { note: 'The password that it gets.', example: 'staple correct horse' },
  token: {
    note: 'The secret at the end of the link in an email.',
    example: 'the-token-of-the-email',
  },
  next: { note: 'The page of this server to come back to.', example: '/' },
  name: { note: 'The name that is shown.', example: 'Ada Lovelace' },
  message: { note: 'A text of some lines.', example: 'Thank you for your patience.' },
  website: {
    note: 'Leave it out. The form hides this field, and what fills it in is taken for a robot.',
  },
  key: { note: 'Which one.', example: 'premium_price' },
  value: { note: 'The new value.', example: '9' },
  description: { note: 'A note about it.', example: 'From August on' },
  user: { note: 'The email address of a user.', example: 'ada@example.org' },
  reason: { note: 'Why.', example: 'It is malware.' },
  action: { note: 'Only lines about this action.', example: 'set-tier' },
  fresh: { note: 'Whether the checks must begin after this call.', example: 'true' },
}

/** Fields of answers. */
const inAnswers: Notes = {
  ...everywhere,
  message: { note: 'A sentence for people.', example: 'Done.' },
  results: { note: 'One for each entry, in the order of the entries.' },
  answer: { note: 'What the call for this entry alone would answer; missing where it is refused.' },
  error: { note: 'Why the entry is refused; missing where it is not.' },
  httpStatus: {
    note: 'The status with which the call for this entry alone would be answered.',
    example: 403,
  },
  code: { note: 'The code of the error.', example: 'TIER_FILE_COUNT' },
  retryAfterSeconds: {
    note: 'After how many seconds to try again; missing where nothing is to be waited for.',
    example: 5,
  },
  uploadUrl: {
    note: 'The presigned URL that takes the whole file by one PUT.',
    example: 'https://…/storage/uploads/…',
  },
  metadata: { note: 'What the server knows of the upload. Send it back when you confirm.' },
  originalName: { note: 'The name of the file.', example: 'report.pdf' },
  mimeType: {
    note: 'The media type. Each PUT sends exactly this one.',
    example: 'application/pdf',
  },
  size: { note: 'In bytes.', example: 20_971_520 },
  expirationDays: { note: 'The days that were chosen, or that can be chosen.', example: '3' },
  limits: { note: 'The limits of each tier that are in force, by its name.' },
  maxFiles: { note: 'Files at the same time; null for no limit.', example: 3 },
  maxFileSize: { note: 'The largest file, in bytes.', example: 524_288_000 },
  maxLifetimeDays: { note: 'For how many days a file is kept at most.', example: 30 },
  fileId: { note: 'The id of the file.', example: exampleId },
  dueAt: { note: 'When the bytes were due to go.', example: day },
  parts: {
    note: 'Of the start: only for a file of more than one part. Then it can travel in parts.',
  },
  count: { note: 'How many.', example: 3 },
  urls: { note: 'Presigned URLs by part number.', example: { 1: 'https://…', 2: 'https://…' } },
  checksum: { note: 'The kind of checksum that a PUT may carry.', example: 'crc32' },
  store: { note: 'Where the bytes go: a disk of this server, or a bucket.', example: 'disk' },
  computesSha256: {
    note: 'Whether a confirm with a wrong SHA-256 is refused.',
    example: true,
  },
  id: { note: 'The id.', example: exampleId },
  createdAt: { note: 'When it was made.', example: day },
  expiresAt: { note: 'When the link ends.', example: '2025-07-15T10:02:00.000Z' },
  maxLifetimeAt: {
    note: 'When even a renewed link must end.',
    example: '2025-08-11T10:02:00.000Z',
  },
  downloadCount: { note: 'How often the file was downloaded.', example: 4 },
  uploadDuration: {
    note: 'How long the upload took, in seconds; null where it is not known.',
    example: 12.4,
  },
  purgingAt: { note: 'When the removal of the bytes began; null before.', example: null },
  purgedAt: {
    note: 'When storage had confirmed that the bytes are gone; null before.',
    example: null,
  },
  purgeDueAt: { note: 'When the bytes were due to go; null before.', example: null },
  takenDownAt: { note: 'When the administrator took it down; null for any other.', example: null },
  takedownReason: { note: 'Why it was taken down; null for any other.', example: null },
  deletedCount: { note: 'How many files were deleted.', example: 1 },
  notFound: { note: 'The ids that are not there, or not yours.', example: [] },
  active: { note: 'Links that open.', example: 3 },
  private: { note: 'Expired files whose links can be renewed.', example: 1 },
  deleted: { note: 'Files that are over for good.', example: 8 },
  email: { note: 'The email address.', example: 'ada@example.org' },
  name: { note: 'The name.', example: 'Ada Lovelace' },
  emailVerified: {
    note: 'Whether somebody proved to read the mail of the address.',
    example: true,
  },
  isAdmin: { note: 'Whether it is the administrator.', example: false },
  premiumTrialStartedAt: { note: 'When the trial began; null without one.', example: null },
  premiumTrialEndsAt: { note: 'When the trial ends or ended; null without one.', example: null },
  profileImageUrl: {
    note: 'The picture that came along with Google; null without one.',
    example: null,
  },
  user: { note: 'The user after the change.' },
  requiresVerification: {
    note: 'Whether an email must be answered before the account exists.',
    example: true,
  },
  google: { note: 'Whether people can sign in with Google here.', example: true },
  signup: {
    note: 'Who can sign up: `open`, `closed`, or the domains of addresses.',
    example: 'open',
  },
  isOwnSignup: { note: 'Whether this browser made the signup of the token.', example: true },
  isValid: { note: 'Whether the token can still be used.', example: true },
  sendsMail: {
    note: 'Whether emails are sent. Otherwise only the operator can read them.',
    example: true,
  },
  way: { note: 'The way to sign in.', example: 'password' },
  since: { note: 'Since when.', example: day },
  url: { note: 'The address that the browser goes to.', example: 'https://accounts.google.com/…' },
  kinds: { note: 'Every kind of file once.' },
  kind: { note: 'The kind of file.', example: 'image' },
  expiringSoon: { note: 'How many links end within 24 hours.', example: 2 },
  days: { note: 'The counts by day, the last one today.' },
  day: { note: 'A day of UTC.', example: '2025-07-12' },
  mostDownloaded: { note: 'The files that were downloaded most, in falling order.' },
  lastDownloadAt: { note: 'When the last download began; null before the first.', example: day },
  logoUrl: { note: 'The PNG of the logo; null without one.', example: null },
  branding: { note: 'The brand of the sender; null for that of this server.', example: null },
  fileCount: { note: 'How many files.', example: 4 },
  totalSize: { note: 'The bytes of all of them.', example: 83_886_080 },
  activeLinks: { note: 'How many links open now.', example: 3 },
  lastSeenAt: { note: 'When it was last used, to ten minutes.', example: day },
  userAgent: { note: 'What the browser says about itself.', example: 'curl/8.14.1' },
  browser: {
    note: 'The browser’s name for people; null where it is not known.',
    example: 'Firefox on Linux',
  },
  ipAddress: { note: 'The IP address.', example: '192.0.2.7' },
  isCurrent: { note: 'Whether it is the session of this call.', example: true },
  signature: {
    note: 'The text at the end of every email, and of emails that share a link.',
    example: 'Mayfly',
  },
  version: { note: 'The version text that the pages show.', example: 'v0.9.10' },
  price: { note: 'In dollars a month.', example: 8 },
  supportEmail: {
    note: 'The address for help; null if there is none.',
    example: 'support@example.org',
  },
  status: { note: 'How it is.', example: 'ok' },
  key: { note: 'Which setting.', example: 'premium_price' },
  value: { note: 'Its value.', example: '9' },
  description: { note: 'The note about it.', example: '' },
  isSuspect: { note: 'Whether a robot seems to have sent it.', example: false },
  sessionCount: { note: 'In how many browsers the user is signed in now.', example: 2 },
  totalUsers: { note: 'How many accounts there are.', example: 120 },
  premiumUsers: { note: 'How many of them are premium now.', example: 14 },
  totalFiles: { note: 'How many files there are.', example: 342 },
  totalDownloads: { note: 'How often files were downloaded.', example: 5210 },
  success: { note: 'Whether it worked.', example: true },
  at: { note: 'When it happened.', example: day },
  actor: { note: 'Who did it; null for the server itself.', example: 'admin@example.org' },
  action: { note: 'What was done.', example: 'set-tier' },
  subject: { note: 'To whom; null where it concerns nobody.', example: 'ada@example.org' },
  details: { note: 'What the action says beside that.', example: {} },
  reason: { note: 'Why.', example: 'It is malware.' },
  failingChecks: { note: 'How many lines of the checks are failing.', example: 0 },
  openReports: { note: 'How many reports of files are open.', example: 1 },
  cure: { note: 'What to do about it.', example: '' },
  connected: { note: 'Whether storage can be reached.', example: true },
  testKey: { note: 'The key of the bytes for the test.', example: exampleKey },
  updated: { note: 'How many were changed.', example: 0 },
  errors: { note: 'How many could not be changed.', example: 0 },
  expiredCount: { note: 'How many trials ended, or files lost their bytes.', example: 0 },
  failed: { note: 'How many files storage did not remove now.', example: 0 },
  deletedFiles: { note: 'How many files were deleted.', example: 2 },
}

function noteIn(notes: Notes, name: string): FieldNote | undefined {
  return Object.hasOwn(notes, name) ? notes[name] : undefined
}

/** Returns the note about a field of a request or an answer, or undefined if it has none. */
export function fieldNote(place: 'request' | 'answer', name: string): FieldNote | undefined {
  return noteIn(place === 'request' ? inRequests : inAnswers, name)
}
