import { setTimeout as wait } from 'node:timers/promises'
import type { File } from '../../src/shared/contract/files.ts'
import { hangMs } from '../support/hang.ts'
import { json } from '../support/make.ts'
import type { Draw } from '../support/seeded-rounds.ts'
import type { Asker } from './ask.ts'
import { expectClearRefusal } from './clear-refusal.ts'
import { checkLetters, collectLetters, type Letterbox, sendWaitingMail } from './emails.ts'
import { type ExpectedFile, mustOpen, noAttempts, settle, Violation } from './expected-file.ts'
import { checkArriving, checkNamed, checkPurged, checkRemoved, checkStored } from './invariants.ts'
import type { Order } from './orders.ts'
import { download, type Player, signIn, tryPassword } from './player.ts'
import type { Stage } from './stage.ts'

/** How many links that were replaced by a renewal are tried for each player after a round. */
const deadLinksTried = 2
/**
 * Of the files that a player did not touch in a round, one in so many is checked after the round.
 */
const untouchedPerLook = 8
const pollMs = 50
const dayMs = 24 * 60 * 60_000

/** The moments of the server's clock that decide which links must be open. */
interface Moments {
  now: Date
  /** The latest moment that the clock has shown. */
  latest: Date
}

/**
 * Compares the answers that a player got in this round with what the server shows now. The list of
 * files shows the state of every file. Also opens the links and downloads the bytes of those files
 * that the player uploaded, renewed or tried to delete, and of some others.
 * @param isClockSteady whether nothing has set the server's clock in this round.
 * @param isWhole whether the links of all files are opened.
 * @returns how many files were downloaded.
 * @throws {Violation} if an answer is no longer true.
 */
export async function checkPlayer(
  player: Player,
  { now, latest, isClockSteady }: Moments & { isClockSteady: boolean },
  random: Draw,
  isWhole: boolean,
): Promise<number> {
  const answer = await untilAnswered(() => player.client.fetch('/api/files'))
  if (!answer.ok) throw new Violation(`the list of files answered ${answer.status}`)
  const listed = new Map((await json<File[]>(answer)).map((file) => [file.id, file]))
  for (const file of player.files) {
    const wasOpen = isClockSteady && mustOpen(file, now, latest)
    if (wasOpen && player.notFound.has(file.code)) {
      throw new Violation(`the open link of ${file.name} was not found`)
    }
  }
  player.notFound.clear()
  player.files = player.files.map((file) =>
    settle(file, player.attempts.get(file.id) ?? noAttempts, listed.get(file.id), latest),
  )
  const touched = new Set([...player.attempts.keys(), ...player.confirmed])
  player.attempts.clear()
  player.confirmed.clear()
  let downloads = 0
  for (const file of player.files) {
    const isTouched = touched.has(file.id)
    const isDrawn = random(untouchedPerLook) === 0
    if (!isTouched && !isDrawn && !isWhole) continue
    const isRead = await checkLink(player, file, { now, latest }, isTouched || isDrawn)
    if (isRead) downloads += 1
  }
  const dead = player.files.flatMap(({ deadCodes }) => deadCodes)
  for (let tried = 0; tried < Math.min(deadLinksTried, dead.length); tried += 1) {
    const code = dead[random(dead.length)] ?? ''
    if (await opens(player.url, code)) throw new Violation(`the old link ${code} opens`)
  }
  player.files = player.files.filter((file) => !file.isDeleted && latest < file.maxLifetimeAt)
  return downloads
}

/** Checks a link, and reads the file behind an open one if asked. Returns whether it was read. */
async function checkLink(
  visitor: Asker,
  file: ExpectedFile,
  { now, latest }: Moments,
  isRead: boolean,
): Promise<boolean> {
  const expected = mustOpen(file, now, latest)
  if (expected && isRead) {
    const status = await downloadUntilAnswered(visitor, file)
    if (status !== 200) throw new Violation(`${file.name} cannot be downloaded: ${status}`)
    return true
  }
  const isOpen = await opens(visitor.url, file.code)
  if (expected !== null && isOpen !== expected) {
    throw new Violation(`the link of ${file.name} is ${isOpen ? 'open' : 'closed'}`)
  }
  return false
}

/**
 * Repeats a request while the answer is a fault of the server. On a busy machine, a server that has
 * recovered may still miss the database for a moment, and say so.
 * @throws {Violation} if it does not say so clearly.
 */
async function untilAnswered(request: () => Promise<Response>): Promise<Response> {
  const deadline = performance.now() + hangMs
  for (;;) {
    const answer = await request()
    if (answer.status < 500 || performance.now() > deadline) return answer
    await expectClearRefusal(answer)
    await wait(pollMs)
  }
}

/**
 * Downloads a file, and repeats that while the server fails. Returns the status of the last answer,
 * or null if the last try got none.
 */
async function downloadUntilAnswered(visitor: Asker, file: ExpectedFile): Promise<number | null> {
  const deadline = performance.now() + hangMs
  for (;;) {
    const status = await download(visitor, file, true)
    if (status !== null || performance.now() > deadline) return status
    await wait(pollMs)
  }
}

async function opens(url: string, code: string): Promise<boolean> {
  const answer = await untilAnswered(() => fetch(`${url}/api/links/${code}`))
  await answer.arrayBuffer()
  if (answer.status !== 200 && answer.status !== 404) {
    throw new Violation(`/api/links/${code} answered ${answer.status}`)
  }
  return answer.status === 200
}

/**
 * Checks what holds only after a while. Advances the clock by a day and runs the jobs that remove
 * bytes, both twice. Then compares the stored bytes with the rows of the database. Also sends all
 * mail that waits, and compares the emails with what was asked for.
 * @param onTime is called whenever the clock was advanced.
 */
export async function checkDeeply(
  { server, witness, stored, mailServer }: Stage,
  players: readonly Player[],
  letterbox: Letterbox,
  onTime: () => void,
): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    await server.setClock(new Date(server.now().getTime() + dayMs + 1))
    onTime()
    await mustObey(server, { do: 'run-jobs', untilDone: true })
    // These checks come before the comparison, which would remove what the jobs have left.
    await checkPurged(witness, stored)
    await checkNamed(witness, stored)
    await mustObey(server, { do: 'compare-storage' })
  }
  await checkStored(witness, stored)
  await checkArriving(witness, stored)
  await checkRemoved(witness)
  await sendWaitingMail(server, witness)
  collectLetters(letterbox, mailServer)
  for (const player of players) {
    checkLetters(letterbox, player)
    await checkPassword(player)
  }
}

/** @throws {Violation} if the server does not carry out the order. */
async function mustObey(server: Stage['server'], order: Order): Promise<void> {
  const failure = await server.order(order)
  if (failure !== null) throw new Violation(`${order.do}: ${failure}`)
}

/** Checks that a player can sign in with the current password, and not with an old one. */
async function checkPassword(player: Player): Promise<void> {
  if (!(await signIn(player))) throw new Violation(`${player.email} cannot sign in`)
  if (player.oldPassword === null) return
  const answer = await tryPassword(player, player.oldPassword)
  if (answer?.ok) throw new Violation(`${player.email} can sign in with an old password`)
}
