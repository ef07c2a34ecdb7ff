import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ErrorBody } from '../../src/shared/contract/errors.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { hangMs } from '../support/hang.ts'
import { askForRenewal, type Client, json, makeClient, sha256 } from '../support/make.ts'
import type { Draw } from '../support/seeded-rounds.ts'
import { type Asker, ask } from './ask.ts'
import type { ExpectedLetters } from './emails.ts'
import { type Attempts, type ExpectedFile, noAttempts, Violation } from './expected-file.ts'

/**
 * An upload that the server has not answered with a file yet. The player repeats it in the next
 * round.
 */
interface Pending {
  name: string
  bytes: Buffer<ArrayBuffer>
  days: string
  idempotencyKey: string
  /**
   * Whether it is continued. A free user may have used up the limit of files while it was idle.
   */
  isContinued: boolean
}

/** A simulated user, and everything that the server has answered to this user. */
export interface Player extends Asker {
  email: string
  /**
   * The passwords that may be the current one. They are several after a change whose answer was
   * lost.
   */
  passwords: string[]
  /** A password that is no longer the current one; null before the first change. */
  oldPassword: string | null
  emails: ExpectedLetters
  tier: 'free' | 'premium'
  /** The number of this player in the game. With the seed it decides what the player uploads. */
  number: number
  /** The numbers of days that this user may choose for a link. */
  days: readonly number[]
  client: Client
  files: ExpectedFile[]
  /** The renewals and deletions that were tried in this round, by the id of the file. */
  attempts: Map<string, Attempts>
  /** The ids of the files that were confirmed in this round. */
  confirmed: Set<string>
  /**
   * The codes of the links that a download of this round did not find, although nobody had tried to
   * renew or delete the file.
   */
  notFound: Set<string>
  pending: Pending[]
  /** How many files this player has begun to upload. */
  begun: number
}

const type = 'application/octet-stream'
const largestSmall = 64 * 1024
/** Of so many uploads one is large enough to be sent in two parts. */
const uploadsPerLarge = 25
const partSize = 8 * 1024 * 1024
const pollMs = 50

/** Returns the body, or null if the connection broke before its end. */
async function bodyOf(response: Response): Promise<Uint8Array | null> {
  return response.arrayBuffer().then(
    (body) => new Uint8Array(body),
    () => null,
  )
}

function attemptsOf(player: Player, { id }: ExpectedFile): Attempts {
  const known = player.attempts.get(id)
  if (known) return known
  const fresh: Attempts = { ...noAttempts, renewals: [] }
  player.attempts.set(id, fresh)
  return fresh
}

/** Returns bytes that depend only on the name of the file and the size. */
function bytesFor(name: string, size: number): Buffer<ArrayBuffer> {
  const block = createHash('sha512').update(name).digest()
  return Buffer.alloc(size, block)
}

function beginUpload(player: Player, random: Draw): Pending {
  player.begun += 1
  const name = `${player.tier}-${player.number}-${player.begun}.bin`
  // A file that is larger than `partSize` is sent in two parts.
  const size = random(largestSmall) + 1 + (random(uploadsPerLarge) === 0 ? partSize : 0)
  const days = String(player.days[random(player.days.length)])
  const idempotencyKey = `${name} ${random(2 ** 31)}`
  return { name, bytes: bytesFor(name, size), days, idempotencyKey, isContinued: false }
}

/**
 * Starts an upload, sends its bytes and confirms it. A second call with the same `pending` goes on
 * with the same upload, because the idempotency key is the same. The upload stays pending if an
 * answer was lost, and is forgotten if the server refused it.
 */
async function upload(player: Player, pending: Pending): Promise<void> {
  player.pending = player.pending.filter((other) => other !== pending)
  const later = () => void player.pending.push({ ...pending, isContinued: true })
  const { name, bytes, days: expirationDays, idempotencyKey } = pending
  const facts = { fileName: name, fileSize: bytes.length, fileType: type }
  const start = { ...facts, expirationDays, idempotencyKey }
  const started = await ask(player, 'start an upload', () =>
    player.client.post('/api/files/get-upload-url', start),
  )
  if (started === null) return later()
  if (!started.ok) return
  const { cloudKey, uploadUrl, parts } = await json<{
    cloudKey: string
    uploadUrl: string
    parts?: { size: number; urls: Record<string, string> }
  }>(started)
  const targets = parts
    ? Object.entries(parts.urls).map(([number, url]) => {
        const from = (Number(number) - 1) * parts.size
        return { url, body: bytes.subarray(from, from + parts.size) }
      })
    : [{ url: uploadUrl, body: bytes }]
  const headers = { 'content-type': type }
  const sent = await Promise.all(
    targets.map(({ url, body }) =>
      ask(player, 'send bytes', () => fetch(url, { method: 'PUT', headers, body })),
    ),
  )
  // An earlier confirm may have succeeded although its answer was lost. Then the server refuses the
  // PUTs, which is an answer, and this confirm returns the file.
  if (sent.includes(null)) return later()
  const claim = { cloudKey }
  const confirmed = await ask(player, 'confirm', () =>
    player.client.post('/api/files/confirm-upload', claim),
  )
  if (confirmed === null) return later()
  if (!confirmed.ok) {
    const { code } = await json<{ code?: string }>(confirmed).catch(() => ({ code: undefined }))
    const isSent = sent.every((answer) => answer?.ok)
    if (isSent && code === 'UPLOAD_INCOMPLETE') throw new Violation(`bytes of ${name} were lost`)
    if (!pending.isContinued && code === 'TIER_FILE_COUNT') {
      throw new Violation(`${name} lost its place among the user's files at once`)
    }
    return
  }
  const file = await json<File>(confirmed).catch(() => null)
  if (file === null) return later()
  player.confirmed.add(file.id)
  if (file.size !== bytes.length) throw new Violation(`${name} was confirmed with another size`)
  player.files.push({
    id: file.id,
    name,
    sha256: sha256(bytes),
    size: bytes.length,
    code: file.shortCode,
    deadCodes: [],
    expiresAt: new Date(file.expiresAt),
    maxLifetimeAt: new Date(file.maxLifetimeAt),
    isDeleted: false,
    counted: { least: 0, most: 0 },
  })
}

async function renew(player: Player, file: ExpectedFile, days: number): Promise<void> {
  const answer = await ask(player, 'renew', () =>
    askForRenewal(player.client, file.id, { expirationDays: days }),
  )
  const attempts = attemptsOf(player, file)
  if (answer === null) attempts.renewals.push(null)
  else if (answer.ok) {
    const renewed = await json<File>(answer).catch(() => null)
    attempts.renewals.push(renewed?.shortCode ?? null)
  } else {
    const refusal = await json<ErrorBody>(answer).catch(() => null)
    if (refusal?.code === 'FILE_GONE') attempts.wasGone = true
  }
}

async function remove(player: Player, file: ExpectedFile): Promise<void> {
  const answer = await ask(player, 'delete', () =>
    player.client.fetch(`/api/files/${file.id}`, { method: 'DELETE' }),
  )
  const attempts = attemptsOf(player, file)
  if (answer?.ok) attempts.deletion = 'done'
  else if (answer === null && attempts.deletion === 'none') attempts.deletion = 'answer lost'
}

/**
 * Downloads a file as a visitor. Returns the status, or null without an answer.
 * @param isCounted whether the server certainly counts a download that it answers.
 * @throws {Violation} if a complete answer has other bytes than the file.
 */
export async function download(
  visitor: Asker,
  file: ExpectedFile,
  isCounted: boolean,
): Promise<number | null> {
  file.counted.most += 1
  const told = await ask(visitor, 'download', () =>
    makeClient(visitor).fetch(`/api/download/${file.code}`),
  )
  const isGiven = told?.status === 200 || told?.status === 302
  if (isGiven && isCounted) file.counted.least += 1
  const answer = told?.status === 302 ? await follow(visitor, told) : told
  if (answer?.status === 200) {
    const body = await bodyOf(answer)
    if (body === null) return null
    if (sha256(body) !== file.sha256) throw new Violation(`${file.name} has other bytes`)
  } else await answer?.arrayBuffer().catch(() => {})
  return answer?.status ?? null
}

async function downloadOwn(player: Player, file: ExpectedFile, isCounted: boolean): Promise<void> {
  const status = await download(player, file, isCounted)
  if (status === 404 && !player.attempts.has(file.id)) player.notFound.add(file.code)
}

/** Gets the bytes from a bucket, to which the server has sent the client. */
async function follow(visitor: Asker, redirect: Response): Promise<Response | null> {
  await redirect.arrayBuffer().catch(() => {})
  return ask(visitor, 'download', () => fetch(redirect.headers.get('location') ?? ''))
}

/**
 * Changes the password. Does nothing while nobody knows which one is the current one.
 */
async function changePassword(player: Player, random: Draw): Promise<void> {
  const [currentPassword, ...others] = player.passwords
  if (currentPassword === undefined || others.length > 0) return
  const newPassword = `correct horse ${random(2 ** 31)}`
  const change = { currentPassword, newPassword }
  const answer = await ask(player, 'change the password', () =>
    player.client.post('/api/auth/change-password', change),
  )
  await answer?.arrayBuffer().catch(() => {})
  if (answer && !answer.ok) return
  player.emails.most += 1
  if (answer === null) {
    player.passwords.push(newPassword)
    return
  }
  player.emails.least += 1
  player.oldPassword = currentPassword
  player.passwords = [newPassword]
  player.client = clientWithCookies(player, answer)
}

/** Returns a client with the cookies of an answer. */
function clientWithCookies({ url }: Pick<Player, 'url'>, answer: Response): Client {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return makeClient({ url }, cookies.join('; '))
}

/** Tries to log in. Returns the answer; null if it was lost. */
export async function tryPassword(player: Player, password: string): Promise<Response | null> {
  const { email } = player
  const answer = await ask(player, 'log in', () =>
    makeClient(player).post('/api/auth/login', { email, password }),
  )
  await answer?.arrayBuffer().catch(() => {})
  return answer
}

/**
 * Signs a player in, whose password may have changed without an answer.
 * @returns whether it worked.
 */
export async function signIn(player: Player): Promise<boolean> {
  for (const password of player.passwords) {
    const answer = await tryPassword(player, password)
    if (!answer?.ok) continue
    const [before, ...after] = player.passwords
    if (after.includes(password)) {
      // The change was carried out although its answer was lost, so its email must come.
      player.emails.least += 1
      player.oldPassword = before ?? null
    }
    player.passwords = [password]
    player.client = clientWithCookies(player, answer)
    return true
  }
  return false
}

/**
 * Repeats the uploads that have no answer yet. Call it while nothing is wrong.
 * @throws {Violation} if one still has none after two minutes.
 */
export async function finishUploads(player: Player): Promise<void> {
  const deadline = performance.now() + hangMs
  while (player.pending.length > 0) {
    if (performance.now() > deadline) {
      throw new Violation(`${player.pending[0]?.name} cannot be uploaded`)
    }
    for (const pending of [...player.pending]) await upload(player, pending)
    await wait(pollMs)
  }
}

/** Uploads a file, so that there is one to lose. */
export async function uploadFirst(player: Player, random: Draw): Promise<void> {
  await upload(player, beginUpload(player, random))
}

/**
 * Plays one user for a round: first the pending uploads, then some random uploads, downloads,
 * renewals, deletions, logins and password changes. Only a renewal and a deletion of the same file
 * may be sent at the same time.
 * @param isCounted whether the server certainly counts the downloads that it answers in this round.
 */
export async function playUser(player: Player, random: Draw, isCounted: boolean): Promise<void> {
  for (const pending of [...player.pending]) await upload(player, pending)
  const steps = 2 + random(4)
  for (let step = 0; step < steps; step += 1) {
    const file = player.files[random(Math.max(1, player.files.length))]
    const chance = random(100)
    if (chance < 45 || !file) await upload(player, beginUpload(player, random))
    else if (chance < 65) await downloadOwn(player, file, isCounted)
    else if (chance < 75) await renew(player, file, player.days[random(player.days.length)] ?? 3)
    else if (chance < 80) await Promise.all([renew(player, file, 3), remove(player, file)])
    else if (chance < 92) await remove(player, file)
    else if (chance < 96) await signIn(player)
    else await changePassword(player, random)
  }
}
