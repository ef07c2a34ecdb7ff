import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as schema from '../src/server/db/schema.ts'
import { longestWindowMs } from '../src/server/http/rate-limit.ts'
import { endpoints } from '../src/shared/contract/index.ts'
import { publicLink } from '../src/shared/contract/links.ts'
import { maxRateWindowMs } from '../src/shared/rules/files/retention.ts'
import { type GoogleApp, startGoogleApp } from './support/google-app.ts'
import { findElements, type ParsedPage, parsePage, textOf } from './support/html.ts'
import { logIn, makeClient } from './support/make.ts'

/**
 * Compares the privacy policy and the FAQ with the code. The policy must mention every table,
 * cookie and browser storage key, and every number must come from a constant.
 */

const webDir = resolve('src/web')

let google: GoogleApp
let policy: ParsedPage
beforeAll(async () => {
  google = await startGoogleApp({ env: { REQUIRE_EMAIL_VERIFICATION: 'on' } })
  const response = await makeClient(google.app).fetch('/privacy')
  policy = parsePage(await response.text())
})
afterAll(() => google.close())

function getPolicyText(): string {
  return textOf(policy.findOne('main')).replaceAll(/\s+/g, ' ')
}

/** Returns what the policy's section 'Who can see it' says about the audience at this position. */
function getAudienceText(index: number): string {
  const section = findElements(policy.findOne('main'), 'section')[3]
  const dataElement = section && findElements(section, 'dd')[index]
  return dataElement ? textOf(dataElement).replaceAll(/\s+/g, ' ') : ''
}

/**
 * For each table, the policy heading under which it is mentioned, or null if the table has no
 * personal data.
 */
const headingByTable: Readonly<Record<string, string | null>> = {
  users: 'Your account',
  accounts: 'Your account',
  sessions: 'Sessions',
  api_keys: 'API keys',
  verifications: 'Rate limits',
  pending_signups: 'Pending signups',
  account_tokens: 'Emails',
  sent_emails: 'Emails',
  uploads: 'Unfinished uploads',
  removals: 'Unfinished uploads',
  files: 'Your files',
  deletion_receipts: 'Proof of deletions',
  links: 'Your files',
  requests: 'Your requests',
  short_codes: 'Proof of deletions',
  file_downloads: 'Downloads',
  download_starts: 'Downloads',
  owner_downloads: 'Downloads',
  preferences: 'Your settings',
  first_downloads: 'Your settings',
  branding: 'Your settings',
  link_emails: 'Links sent by email',
  email_opt_outs: 'Who wants no links by email',
  feedback: 'Feedback',
  rate_limits: 'Rate limits',
  audit_log: 'Audit log',
  reports: 'Reports of files',
  blocked_content: 'Blocked content',
  settings: null,
  job_runs: null,
}

describe('the privacy policy', () => {
  test('mentions every table', () => {
    const tables = Object.values(schema)
      .filter((value) => is(value, PgTable))
      .map((table) => getTableName(table))
    expect(tables.toSorted()).toEqual(Object.keys(headingByTable).toSorted())
    const headings = findElements(policy.findOne('main'), 'dt').map(textOf)
    for (const heading of Object.values(headingByTable)) {
      if (heading !== null) expect(headings).toContain(heading)
    }
  })

  test('mentions every cookie', async () => {
    const { app } = google
    const names = new Set<string>()
    const collectCookies = (response: Response) => {
      for (const cookie of response.headers.getSetCookie()) names.add(cookie.split('=', 1)[0] ?? '')
    }
    const visitor = makeClient(app)
    collectCookies(await visitor.fetch('/api/login'))
    const form = { firstName: 'Ada', lastName: 'L', email: 'ada@example.org', password: 'secret' }
    collectCookies(
      await visitor.post('/api/auth/signup', { ...form, confirmPassword: form.password }),
    )
    await app.deps.db.insert(schema.users).values({
      id: 'grace',
      name: 'Grace',
      email: 'grace@example.org',
      emailVerified: true,
      createdAt: app.clock(),
      updatedAt: app.clock(),
    })
    await app.deps.db.insert(schema.accounts).values({
      id: 'grace',
      userId: 'grace',
      accountId: 'grace',
      providerId: 'credential',
      password: await app.passwords.hash('secret', 'salt', 'test'),
      createdAt: app.clock(),
      updatedAt: app.clock(),
    })
    for (const cookie of (await logIn(app, 'grace@example.org', 'secret')).split('; ')) {
      names.add(cookie.split('=', 1)[0] ?? '')
    }
    const mentionedNames = findElements(policy.findOne('main'), 'code').map(textOf)
    expect(mentionedNames.toSorted()).toEqual([...names].toSorted())
    expect(names.size).toBe(5)
  })

  test('mentions everything stored in the browser', async () => {
    const expectedPhrases: Record<string, string> = {
      'mayfly-theme': 'light or dark',
      'mayfly-dismissed-notice': 'notices you have closed',
      'mayfly-links': 'whether several files get one link',
      'mayfly-new-account': 'the email address you have just signed up with',
      'mayfly-toast': 'a message for the next page',
      'mayfly.upload.': 'the uploads themselves',
      'mayfly-uploads': 'where the browser finds the file',
      'mayfly-kept': 'A file that you drop on the front page before you have signed in',
    }
    // This is the name of an event, not a storage key.
    const transientNames = ['mayfly-theme-changed']
    const storageKeys = new Set<string>()
    for (const file of await readdir(webDir, { recursive: true })) {
      if (!/(?<!\.test)\.tsx?$/.test(file) || file.includes('public-pages/legal')) continue
      const text = await readFile(join(webDir, file), 'utf8')
      for (const [, name = ''] of text.matchAll(/'(mayfly[-.][\w.-]+)'/g)) storageKeys.add(name)
    }
    expect([...storageKeys].filter((name) => !transientNames.includes(name)).toSorted()).toEqual(
      Object.keys(expectedPhrases).toSorted(),
    )
    for (const phrase of Object.values(expectedPhrases)) expect(getPolicyText()).toContain(phrase)
    expect(getPolicyText()).toContain(
      'so is one that you share with the installed app, for 24 hours at most',
    )
  })

  test('mentions everything a link reveals', () => {
    const expectedPhrases: Record<keyof typeof publicLink.shape, string | null> = {
      // The policy doesn't mention it separately, because it is part of the link itself.
      shortCode: null,
      originalName: 'its name',
      mimeType: 'size and type',
      size: 'size and type',
      createdAt: 'when it was uploaded',
      expiresAt: 'when the link ends',
      maxLifetimeAt: 'when the file is deleted at the latest',
      sha256: 'the checksum',
      branding: 'your brand',
      title: 'title and message',
      message: 'title and message',
      files: 'its name',
      state: 'how much of it has arrived',
      totalSize: 'size and type',
      hasPassword: 'whether it has a password',
      maxDownloads: 'how many downloads are left',
      remainingDownloads: 'how many downloads are left',
      // Only the owner sees it.
      downloadCount: null,
    }
    expect(Object.keys(expectedPhrases).toSorted()).toEqual(
      Object.keys(publicLink.shape).toSorted(),
    )
    for (const phrase of Object.values(expectedPhrases))
      expect(getAudienceText(0)).toContain(phrase ?? '')
  })

  test('states what is kept about people who send files', () => {
    expect(getPolicyText()).toContain(
      'The files, and the name and message that the sender enters, if any. Nothing else about the sender: no IP address, and no account.',
    )
  })

  test('mentions everything the administrator sees about users', () => {
    const expectedPhrases: Record<
      keyof typeof endpoints.listUsers.response.element.shape,
      string | null
    > = {
      // Not personal data.
      id: null,
      isAdmin: null,
      email: 'addresses',
      name: 'names',
      firstName: 'names',
      lastName: 'names',
      emailVerified: 'whether they are confirmed',
      tier: 'tiers',
      createdAt: 'when each was made',
      premiumTrialStartedAt: 'when its trial began',
      premiumTrialEndsAt: 'and ends',
      profileImageUrl: 'pictures',
      fileCount: 'how many files',
      storedBytes: 'stored bytes',
      totalDownloads: 'downloads',
      sessionCount: 'and open sessions it has',
    }
    expect(Object.keys(expectedPhrases).toSorted()).toEqual(
      Object.keys(endpoints.listUsers.response.element.shape).toSorted(),
    )
    for (const phrase of Object.values(expectedPhrases))
      expect(getAudienceText(1)).toContain(phrase ?? '')
    for (const phrase of [
      'the addresses of deleted accounts',
      'the recipients of emails that could not be sent',
      'the names of the files and the addresses of their owners',
    ]) {
      expect(getAudienceText(1)).toContain(phrase)
    }
  })

  test('states what remains of a deleted account', () => {
    for (const phrase of [
      'those about files that were taken down have the link code and the reason',
      'Closed reports of your files are deleted with the account.',
      'with the name of the file, its link code and the number of the account',
    ]) {
      expect(getPolicyText()).toContain(phrase)
    }
  })

  test('states the longest period over which attempts are counted', () => {
    expect(longestWindowMs).toBe(maxRateWindowMs)
    expect(getPolicyText()).toContain('for 1 hour at most')
  })
})

test('no number in the FAQ, terms or policy is hard-coded', async () => {
  const pagesDir = join(webDir, 'public-pages')
  const fileNames = (await readdir(pagesDir, { recursive: true })).filter((file) =>
    /^(faq|legal)\/.*\.tsx$/.test(file),
  )
  expect(fileNames.length).toBeGreaterThan(5)
  // Digits in the pages that belong to names rather than product decisions, with the words around
  // them.
  const namePattern =
    /SHA-256|IPv6|7z|is="s3"|<\/?h\d|July 12, 2025|2025-07-12|[Ss]pec §\d+|(?:size|strokeWidth)=\{[\d.]+\}/g
  const typedFields: string[] = []
  for (const file of fileNames) {
    const lines = (await readFile(join(pagesDir, file), 'utf8'))
      .replaceAll(namePattern, '')
      .split('\n')
    typedFields.push(
      ...lines.filter((line) => /\d/.test(line)).map((line) => `${file}: ${line.trim()}`),
    )
  }
  expect(typedFields).toEqual([])
})
