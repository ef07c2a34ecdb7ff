import { setTimeout as wait } from 'node:timers/promises'
import type { File } from '../../src/shared/contract/files.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import { findWrongTotals } from '../support/link-totals.ts'
import { json } from '../support/make.ts'
import type { RandomInt } from '../support/seeded-rounds.ts'
import type { Caller } from './call.ts'
import type { Command } from './commands.ts'
import { checkEmails, collectEmails, drainEmailQueue, type Mailbox } from './emails.ts'
import type { Environment } from './environment.ts'
import { type ExpectedFile, noAttempts, reconcile, shouldOpen, Violation } from './expected-file.ts'
import {
  checkNoOrphans,
  checkOpenUploads,
  checkPurged,
  checkRemovalsDone,
  checkStoredFiles,
} from './invariants.ts'
import { checkLinks } from './link-of-files.ts'
import { download, type SimulatedUser, signIn, tryPassword } from './simulated-user.ts'
import { expectValidServerError } from './valid-server-error.ts'

/** How many of each user's old links, replaced by renewals, are checked after each round. */
const deadLinksPerCheck = 2
/** After each round, one in this many unchanged files is checked. */
const untouchedPerCheck = 8
const pollMs = 50
const dayMs = 24 * 60 * 60_000

interface ClockReadings {
  now: Date
  /** The latest time that the clock has ever shown. */
  latest: Date
}

/**
 * Checks that the server's current state agrees with its earlier responses to a user. Compares
 * every file with the file list, but checks links and bytes only for files uploaded, renewed or
 * deleted in this round and for a sample of the others.
 * @param isClockSteady true if no fault changed the server's clock in this round.
 * @param shouldCheckAllLinks true to open the links to all files, not only to a sample.
 * @returns how many files were downloaded.
 * @throws {Violation} if the server broke a guarantee.
 */
export async function checkUser(
  user: SimulatedUser,
  { now, latest, isClockSteady }: ClockReadings & { isClockSteady: boolean },
  random: RandomInt,
  shouldCheckAllLinks: boolean,
): Promise<number> {
  const response = await retryServerErrors(() => user.client.fetch('/api/files'))
  if (!response.ok) throw new Violation(`the list of files answered ${response.status}`)
  const listedFilesById = new Map((await json<File[]>(response)).map((file) => [file.id, file]))
  for (const file of user.files) {
    const mustHaveOpened = isClockSteady && shouldOpen(file, now, latest)
    if (mustHaveOpened && user.notFoundCodes.has(file.code)) {
      throw new Violation(`the open link of ${file.name} was not found`)
    }
  }
  user.notFoundCodes.clear()
  await checkLinks(user, latest)
  user.files = user.files.map((file) =>
    reconcile(file, user.attempts.get(file.id) ?? noAttempts, listedFilesById.get(file.id), latest),
  )
  const touchedIds = new Set([...user.attempts.keys(), ...user.confirmedIds])
  user.attempts.clear()
  user.confirmedIds.clear()
  let downloadCount = 0
  for (const file of user.files) {
    const isTouched = touchedIds.has(file.id)
    const isSampled = random(untouchedPerCheck) === 0
    if (!isTouched && !isSampled && !shouldCheckAllLinks) continue
    const wasDownloaded = await checkLink(user, file, { now, latest }, isTouched || isSampled)
    if (wasDownloaded) downloadCount += 1
  }
  const allDeadCodes = user.files.flatMap(({ deadCodes }) => deadCodes)
  for (let attempt = 0; attempt < Math.min(deadLinksPerCheck, allDeadCodes.length); attempt += 1) {
    const code = allDeadCodes[random(allDeadCodes.length)] ?? ''
    if (await canDownload(user.url, code)) throw new Violation(`the old link ${code} opens`)
  }
  user.files = user.files.filter((file) => !file.isDeleted && latest < file.maxLifetimeAt)
  return downloadCount
}

/**
 * Checks that a file's link works or fails as expected. Optionally also checks the bytes. Returns
 * true if the bytes were downloaded.
 */
async function checkLink(
  visitor: Caller,
  file: ExpectedFile,
  { now, latest }: ClockReadings,
  shouldDownload: boolean,
): Promise<boolean> {
  const shouldBeOpen = shouldOpen(file, now, latest)
  if (shouldBeOpen && shouldDownload) {
    const status = await downloadWithRetries(visitor, file)
    if (status !== 200) throw new Violation(`${file.name} cannot be downloaded: ${status}`)
    return true
  }
  const isOpen = await canDownload(visitor.url, file.code)
  if (shouldBeOpen !== null && isOpen !== shouldBeOpen) {
    throw new Violation(`the link of ${file.name} is ${isOpen ? 'open' : 'closed'}`)
  }
  return false
}

/**
 * Retries a request while the server returns a 5xx. On a busy machine, a server that has recovered
 * may briefly lose its database connection again.
 * @throws {Violation} if an error response is malformed.
 */
async function retryServerErrors(request: () => Promise<Response>): Promise<Response> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    const response = await request()
    if (response.status < 500 || performance.now() > deadline) return response
    await expectValidServerError(response)
    await wait(pollMs)
  }
}

/**
 * Downloads a file, retrying while the server fails. Returns the last status, or null if there was
 * no response.
 */
async function downloadWithRetries(visitor: Caller, file: ExpectedFile): Promise<number | null> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    const status = await download(visitor, file, true)
    if (status !== null || performance.now() > deadline) return status
    await wait(pollMs)
  }
}

async function canDownload(url: string, code: string): Promise<boolean> {
  const response = await retryServerErrors(() => fetch(`${url}/api/links/${code}`))
  await response.arrayBuffer()
  if (response.status !== 200 && response.status !== 404) {
    throw new Violation(`/api/links/${code} answered ${response.status}`)
  }
  return response.status === 200
}

/**
 * Checks the final state. Advances the clock by a day, runs the cleanup jobs and compares storage
 * with the database, twice in a row. Then waits until all queued emails have been sent, and checks
 * them.
 * @param onClockChange called each time the clock has been advanced.
 */
export async function checkAfterTwoDays(
  { server, directDb, storageReader, mailServer }: Environment,
  users: readonly SimulatedUser[],
  mailbox: Mailbox,
  onClockChange: () => void,
): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    await server.setClock(new Date(server.now().getTime() + dayMs + 1))
    onClockChange()
    await runOrThrow(server, { type: 'run-jobs', waitForDatabase: true })
    // Check before the storage comparison, which deletes anything the jobs left behind.
    await checkPurged(directDb, storageReader)
    await checkNoOrphans(directDb, storageReader)
    await runOrThrow(server, { type: 'compare-storage' })
  }
  await checkStoredFiles(directDb, storageReader)
  await checkOpenUploads(directDb, storageReader)
  await checkRemovalsDone(directDb)
  const codes = await findWrongTotals(directDb)
  if (codes.length > 0) throw new Violation(`wrong counts of the links ${codes.join(', ')}`)
  await drainEmailQueue(server, directDb)
  collectEmails(mailbox, mailServer)
  for (const user of users) {
    checkEmails(mailbox, user)
    await checkPassword(user)
  }
}

/** @throws {Violation} if the command fails. */
async function runOrThrow(server: Environment['server'], command: Command): Promise<void> {
  const failure = await server.run(command)
  if (failure !== null) throw new Violation(`${command.type}: ${failure}`)
}

async function checkPassword(user: SimulatedUser): Promise<void> {
  if (!(await signIn(user))) throw new Violation(`${user.email} cannot sign in`)
  if (user.oldPassword === null) return
  const response = await tryPassword(user, user.oldPassword)
  if (response?.ok) throw new Violation(`${user.email} can sign in with an old password`)
}
