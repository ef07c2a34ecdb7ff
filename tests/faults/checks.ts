import { setTimeout as wait } from 'node:timers/promises'
import type { File } from '../../src/shared/contract/files.ts'
import { hangTimeoutMs } from '../support/hang.ts'
import { json } from '../support/make.ts'
import type { Draw } from '../support/seeded-rounds.ts'
import type { Caller } from './call.ts'
import { expectClearError } from './clear-error.ts'
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
import { download, type SimulatedUser, signIn, tryPassword } from './simulated-user.ts'

/** Replaced links checked for each user after a round. */
const deadLinksPerCheck = 2
/** One in this many untouched files is checked after a round. */
const untouchedPerCheck = 8
const pollMs = 50
const dayMs = 24 * 60 * 60_000

/** Server clock readings that decide which links must work. */
interface Moments {
  now: Date
  /** The latest time the clock has shown. */
  latest: Date
}

/**
 * Compares the server's earlier responses to a user with its current state: every file in the list,
 * and the links and bytes of files uploaded, renewed or deleted in this round, plus a sample of the
 * others.
 * @param isClockSteady true if no fault changed the server's clock in this round.
 * @param checksAllLinks opens the links of all files.
 * @returns the number of downloaded files.
 * @throws {Violation} if a promise is broken.
 */
export async function checkUser(
  user: SimulatedUser,
  { now, latest, isClockSteady }: Moments & { isClockSteady: boolean },
  random: Draw,
  checksAllLinks: boolean,
): Promise<number> {
  const response = await retryUntilAnswered(() => user.client.fetch('/api/files'))
  if (!response.ok) throw new Violation(`the list of files answered ${response.status}`)
  const listed = new Map((await json<File[]>(response)).map((file) => [file.id, file]))
  for (const file of user.files) {
    const wasOpen = isClockSteady && shouldOpen(file, now, latest)
    if (wasOpen && user.notFound.has(file.code)) {
      throw new Violation(`the open link of ${file.name} was not found`)
    }
  }
  user.notFound.clear()
  user.files = user.files.map((file) =>
    reconcile(file, user.attempts.get(file.id) ?? noAttempts, listed.get(file.id), latest),
  )
  const touched = new Set([...user.attempts.keys(), ...user.confirmed])
  user.attempts.clear()
  user.confirmed.clear()
  let downloads = 0
  for (const file of user.files) {
    const isTouched = touched.has(file.id)
    const isDrawn = random(untouchedPerCheck) === 0
    if (!isTouched && !isDrawn && !checksAllLinks) continue
    const isRead = await checkLink(user, file, { now, latest }, isTouched || isDrawn)
    if (isRead) downloads += 1
  }
  const dead = user.files.flatMap(({ deadCodes }) => deadCodes)
  for (let tried = 0; tried < Math.min(deadLinksPerCheck, dead.length); tried += 1) {
    const code = dead[random(dead.length)] ?? ''
    if (await canDownload(user.url, code)) throw new Violation(`the old link ${code} opens`)
  }
  user.files = user.files.filter((file) => !file.isDeleted && latest < file.maxLifetimeAt)
  return downloads
}

/** Checks a link, and optionally its bytes. Returns true if the bytes were read. */
async function checkLink(
  visitor: Caller,
  file: ExpectedFile,
  { now, latest }: Moments,
  isRead: boolean,
): Promise<boolean> {
  const expected = shouldOpen(file, now, latest)
  if (expected && isRead) {
    const status = await downloadUntilAnswered(visitor, file)
    if (status !== 200) throw new Violation(`${file.name} cannot be downloaded: ${status}`)
    return true
  }
  const isOpen = await canDownload(visitor.url, file.code)
  if (expected !== null && isOpen !== expected) {
    throw new Violation(`the link of ${file.name} is ${isOpen ? 'open' : 'closed'}`)
  }
  return false
}

/**
 * Retries a request while the server returns 5xx: on a busy machine a recovered server may briefly
 * lose its database.
 * @throws {Violation} if the error is malformed.
 */
async function retryUntilAnswered(request: () => Promise<Response>): Promise<Response> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    const response = await request()
    if (response.status < 500 || performance.now() > deadline) return response
    await expectClearError(response)
    await wait(pollMs)
  }
}

/**
 * Downloads a file, retrying while the server fails. Returns the last status, or null if there was
 * no response.
 */
async function downloadUntilAnswered(visitor: Caller, file: ExpectedFile): Promise<number | null> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    const status = await download(visitor, file, true)
    if (status !== null || performance.now() > deadline) return status
    await wait(pollMs)
  }
}

async function canDownload(url: string, code: string): Promise<boolean> {
  const response = await retryUntilAnswered(() => fetch(`${url}/api/links/${code}`))
  await response.arrayBuffer()
  if (response.status !== 200 && response.status !== 404) {
    throw new Violation(`/api/links/${code} answered ${response.status}`)
  }
  return response.status === 200
}

/**
 * Checks the final state. Twice advances the clock by a day and runs the cleanup jobs, then
 * compares storage with the database. Also sends and checks all queued emails.
 * @param onTime called after each change of the clock.
 */
export async function checkAfterTwoDays(
  { server, directDb, stored, mailServer }: Environment,
  users: readonly SimulatedUser[],
  mailbox: Mailbox,
  onTime: () => void,
): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    await server.setClock(new Date(server.now().getTime() + dayMs + 1))
    onTime()
    await mustRun(server, { do: 'run-jobs', untilReachable: true })
    // Before the comparison, which would delete leftovers of the jobs.
    await checkPurged(directDb, stored)
    await checkNoOrphans(directDb, stored)
    await mustRun(server, { do: 'compare-storage' })
  }
  await checkStoredFiles(directDb, stored)
  await checkOpenUploads(directDb, stored)
  await checkRemovalsDone(directDb)
  await drainEmailQueue(server, directDb)
  collectEmails(mailbox, mailServer)
  for (const user of users) {
    checkEmails(mailbox, user)
    await checkPassword(user)
  }
}

/** @throws {Violation} if the command fails. */
async function mustRun(server: Environment['server'], command: Command): Promise<void> {
  const failure = await server.run(command)
  if (failure !== null) throw new Violation(`${command.do}: ${failure}`)
}

/** Asserts that the current password works and an old one doesn't. */
async function checkPassword(user: SimulatedUser): Promise<void> {
  if (!(await signIn(user))) throw new Violation(`${user.email} cannot sign in`)
  if (user.oldPassword === null) return
  const response = await tryPassword(user, user.oldPassword)
  if (response?.ok) throw new Violation(`${user.email} can sign in with an old password`)
}
