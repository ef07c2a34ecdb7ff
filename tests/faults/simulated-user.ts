import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ErrorBody } from '../../src/shared/contract/errors.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import { type Client, json, makeClient, requestRenewal, sha256 } from '../support/make.ts'
import type { RandomInt } from '../support/seeded-rounds.ts'
import { type Caller, call } from './call.ts'
import type { EmailRange } from './emails.ts'
import { type Attempts, type ExpectedFile, noAttempts, Violation } from './expected-file.ts'
import {
  deleteLink,
  downloadLink,
  drawLink,
  finishLinks,
  type LinkOwner,
  uploadLink,
} from './link-of-files.ts'

/** An upload that hasn't been confirmed yet and will be retried in the next round. */
interface PendingUpload {
  name: string
  bytes: Buffer<ArrayBuffer>
  days: string
  idempotencyKey: string
  /** True if this is a retry. The upload may have lost its slot while idle. */
  isRetry: boolean
}

/** A simulated user, with everything that the server's responses have revealed. */
export interface SimulatedUser extends LinkOwner {
  email: string
  /**
   * The passwords that may be current. There is more than one if the response to a password change
   * was lost.
   */
  passwords: string[]
  /** An earlier password, or null if the user hasn't changed it yet. */
  oldPassword: string | null
  expectedEmails: EmailRange
  files: ExpectedFile[]
  /** This round's renewals and deletions, by file id. */
  attempts: Map<string, Attempts>
  /** Ids of the files confirmed in this round. */
  confirmedIds: Set<string>
  /**
   * Short codes of links that returned 404 in this round even though the user hadn't renewed or
   * deleted the file.
   */
  notFoundCodes: Set<string>
  pendingUploads: PendingUpload[]
}

const type = 'application/octet-stream'
const maxSmallSize = 64 * 1024
/** One in this many uploads is large enough to need two parts. */
const uploadsPerLarge = 25
const partSize = 8 * 1024 * 1024
const pollMs = 50

async function readBody(response: Response): Promise<Uint8Array | null> {
  return response.arrayBuffer().then(
    (body) => new Uint8Array(body),
    () => null,
  )
}

function getAttempts(user: SimulatedUser, { id }: ExpectedFile): Attempts {
  const existingAttempts = user.attempts.get(id)
  if (existingAttempts) return existingAttempts
  const newAttempts: Attempts = { ...noAttempts, renewals: [] }
  user.attempts.set(id, newAttempts)
  return newAttempts
}

/** Returns bytes that depend only on the name and size. */
function makeBytes(name: string, size: number): Buffer<ArrayBuffer> {
  const block = createHash('sha512').update(name).digest()
  return Buffer.alloc(size, block)
}

function createPendingUpload(user: SimulatedUser, random: RandomInt): PendingUpload {
  user.uploadCount += 1
  const name = `${user.tier}-${user.number}-${user.uploadCount}.bin`
  // Files larger than `partSize` are sent in two parts.
  const size = random(maxSmallSize) + 1 + (random(uploadsPerLarge) === 0 ? partSize : 0)
  const days = String(user.days[random(user.days.length)])
  const idempotencyKey = `${name} ${random(2 ** 31)}`
  return { name, bytes: makeBytes(name, size), days, idempotencyKey, isRetry: false }
}

/**
 * Starts an upload, sends its bytes and confirms it. If a response is lost, the upload stays
 * pending. If the server rejects it, it is dropped. The idempotency key makes a retry continue the
 * same upload.
 */
async function upload(user: SimulatedUser, pendingUpload: PendingUpload): Promise<void> {
  user.pendingUploads = user.pendingUploads.filter((other) => other !== pendingUpload)
  const postpone = () => void user.pendingUploads.push({ ...pendingUpload, isRetry: true })
  const { name, bytes, days: expirationDays, idempotencyKey } = pendingUpload
  const fileInfo = { fileName: name, fileSize: bytes.length, fileType: type }
  const uploadRequest = { ...fileInfo, expirationDays, idempotencyKey }
  const startResponse = await call(user, 'start an upload', () =>
    user.client.post('/api/files/get-upload-url', uploadRequest),
  )
  if (startResponse === null) return postpone()
  if (!startResponse.ok) return
  const { cloudKey, uploadUrl, parts } = await json<{
    cloudKey: string
    uploadUrl: string
    parts?: { size: number; urls: Record<string, string> }
  }>(startResponse)
  const putTargets = parts
    ? Object.entries(parts.urls).map(([number, url]) => {
        const offset = (Number(number) - 1) * parts.size
        return { url, body: bytes.subarray(offset, offset + parts.size) }
      })
    : [{ url: uploadUrl, body: bytes }]
  const headers = { 'content-type': type }
  const putResponses = await Promise.all(
    putTargets.map(({ url, body }) =>
      call(user, 'send bytes', () => fetch(url, { method: 'PUT', headers, body })),
    ),
  )
  // An earlier confirm may have succeeded without its response arriving. If so, the PUTs are
  // rejected and this confirm returns the file.
  if (putResponses.includes(null)) return postpone()
  const confirmRequest = { cloudKey }
  const confirmResponse = await call(user, 'confirm', () =>
    user.client.post('/api/files/confirm-upload', confirmRequest),
  )
  if (confirmResponse === null) return postpone()
  if (!confirmResponse.ok) {
    const { code } = await json<{ code?: string }>(confirmResponse).catch(() => ({
      code: undefined,
    }))
    const wasFullySent = putResponses.every((response) => response?.ok)
    if (wasFullySent && code === 'UPLOAD_INCOMPLETE')
      throw new Violation(`bytes of ${name} were lost`)
    if (!pendingUpload.isRetry && code === 'TIER_FILE_COUNT') {
      throw new Violation(`${name} lost its slot although it was never idle`)
    }
    return
  }
  const file = await json<File>(confirmResponse).catch(() => null)
  if (file === null) return postpone()
  user.confirmedIds.add(file.id)
  if (file.size !== bytes.length) throw new Violation(`${name} was confirmed with another size`)
  user.files.push({
    id: file.id,
    name,
    sha256: sha256(bytes),
    size: bytes.length,
    code: file.shortCode,
    deadCodes: [],
    expiresAt: new Date(file.expiresAt),
    maxLifetimeAt: new Date(file.maxLifetimeAt),
    isDeleted: false,
    expectedDownloads: { min: 0, max: 0 },
  })
}

async function renew(user: SimulatedUser, file: ExpectedFile, days: number): Promise<void> {
  const response = await call(user, 'renew', () =>
    requestRenewal(user.client, file.id, { expirationDays: days }),
  )
  const attempts = getAttempts(user, file)
  if (response === null) attempts.renewals.push(null)
  else if (response.ok) {
    const renewedFile = await json<File>(response).catch(() => null)
    attempts.renewals.push(renewedFile?.shortCode ?? null)
  } else {
    const error = await json<ErrorBody>(response).catch(() => null)
    if (error?.code === 'FILE_GONE') attempts.isPurged = true
  }
}

async function deleteFile(user: SimulatedUser, file: ExpectedFile): Promise<void> {
  const response = await call(user, 'delete', () =>
    user.client.fetch(`/api/files/${file.id}`, { method: 'DELETE' }),
  )
  const attempts = getAttempts(user, file)
  if (response?.ok) attempts.deletion = 'done'
  else if (response === null && attempts.deletion === 'none') attempts.deletion = 'response lost'
}

/**
 * Downloads a file as a visitor. Returns the status, or null if there was no response.
 * @param isCounted true if the server is certain to count the download.
 * @throws {Violation} if a complete response has the wrong bytes.
 */
export async function download(
  visitor: Caller,
  file: ExpectedFile,
  isCounted: boolean,
): Promise<number | null> {
  file.expectedDownloads.max += 1
  const firstResponse = await call(visitor, 'download', () =>
    makeClient(visitor).fetch(`/api/download/${file.code}`),
  )
  const isStarted = firstResponse?.status === 200 || firstResponse?.status === 302
  if (isStarted && isCounted) file.expectedDownloads.min += 1
  const response =
    firstResponse?.status === 302 ? await followRedirect(visitor, firstResponse) : firstResponse
  if (response?.status === 200) {
    const body = await readBody(response)
    if (body === null) return null
    if (sha256(body) !== file.sha256) throw new Violation(`${file.name} has other bytes`)
  } else await response?.arrayBuffer().catch(() => {})
  return response?.status ?? null
}

async function downloadOwnFile(
  user: SimulatedUser,
  file: ExpectedFile,
  isCounted: boolean,
): Promise<void> {
  const status = await download(user, file, isCounted)
  if (status === 404 && !user.attempts.has(file.id)) user.notFoundCodes.add(file.code)
}

/** Follows a download's redirect to the bucket. */
async function followRedirect(
  visitor: Caller,
  redirectResponse: Response,
): Promise<Response | null> {
  await redirectResponse.arrayBuffer().catch(() => {})
  return call(visitor, 'download', () => fetch(redirectResponse.headers.get('location') ?? ''))
}

/** Changes the user's password if it is certain which one is current. */
async function changePassword(user: SimulatedUser, random: RandomInt): Promise<void> {
  const [currentPassword, ...otherPasswords] = user.passwords
  if (currentPassword === undefined || otherPasswords.length > 0) return
  const newPassword = `correct horse ${random(2 ** 31)}`
  const passwordChange = { currentPassword, newPassword }
  const response = await call(user, 'change the password', () =>
    user.client.post('/api/auth/change-password', passwordChange),
  )
  await response?.arrayBuffer().catch(() => {})
  if (response && !response.ok) return
  user.expectedEmails.max += 1
  if (response === null) {
    user.passwords.push(newPassword)
    return
  }
  user.expectedEmails.min += 1
  user.oldPassword = currentPassword
  user.passwords = [newPassword]
  user.client = makeClientWithCookies(user, response)
}

function makeClientWithCookies({ url }: Pick<SimulatedUser, 'url'>, response: Response): Client {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  return makeClient({ url }, cookies.join('; '))
}

/** Tries to log in. Returns null if there was no complete response. */
export async function tryPassword(user: SimulatedUser, password: string): Promise<Response | null> {
  const { email } = user
  const response = await call(user, 'log in', () =>
    makeClient(user).post('/api/auth/login', { email, password }),
  )
  await response?.arrayBuffer().catch(() => {})
  return response
}

/**
 * Signs a user in, trying every password that may be current.
 * @returns true on success.
 */
export async function signIn(user: SimulatedUser): Promise<boolean> {
  for (const password of user.passwords) {
    const response = await tryPassword(user, password)
    if (!response?.ok) continue
    const [formerPassword, ...newerPasswords] = user.passwords
    if (newerPasswords.includes(password)) {
      // This password change succeeded although its response was lost, so its email must arrive.
      user.expectedEmails.min += 1
      user.oldPassword = formerPassword ?? null
    }
    user.passwords = [password]
    user.client = makeClientWithCookies(user, response)
    return true
  }
  return false
}

/**
 * Retries the user's pending uploads. Call it only while no fault is active.
 * @throws {Violation} if an upload is still pending after two minutes.
 */
export async function finishUploads(user: SimulatedUser): Promise<void> {
  const deadline = performance.now() + hangTimeoutMs
  while (user.pendingUploads.length > 0) {
    if (performance.now() > deadline) {
      throw new Violation(`${user.pendingUploads[0]?.name} cannot be uploaded`)
    }
    for (const pendingUpload of [...user.pendingUploads]) await upload(user, pendingUpload)
    await wait(pollMs)
  }
  await finishLinks(user)
}

/** Uploads a file, so that there is stored data at risk even from the first fault. */
export async function uploadInitialFile(user: SimulatedUser, random: RandomInt): Promise<void> {
  await upload(user, createPendingUpload(user, random))
}

/** Uploads, downloads or deletes a link of several files. */
async function actOnLink(
  user: SimulatedUser,
  random: RandomInt,
  areDownloadsCounted: boolean,
): Promise<void> {
  const link = user.links[random(Math.max(1, user.links.length))]
  const percentile = random(100)
  if (percentile < 45 || !link?.isComplete) {
    const newLink = drawLink(user, random)
    user.links.push(newLink)
    await uploadLink(user, newLink)
  } else if (percentile < 85) await downloadLink(user, link, areDownloadsCounted)
  else await deleteLink(user, link)
}

/**
 * Simulates one round of a user's actions: first pending uploads, then random uploads, downloads,
 * renewals, deletions, logins and password changes. Actions run one at a time, except that a
 * renewal may race a deletion.
 * @param areDownloadsCounted true if the server is certain to count this round's downloads.
 */
export async function actRandomly(
  user: SimulatedUser,
  random: RandomInt,
  areDownloadsCounted: boolean,
): Promise<void> {
  for (const pendingUpload of [...user.pendingUploads]) await upload(user, pendingUpload)
  const incompleteLinks = user.links.filter(({ isComplete }) => !isComplete)
  for (const link of incompleteLinks) await uploadLink(user, link)
  const actionCount = 2 + random(4)
  for (let actionIndex = 0; actionIndex < actionCount; actionIndex += 1) {
    const file = user.files[random(Math.max(1, user.files.length))]
    const percentile = random(100)
    if (user.tier === 'premium' && random(4) === 0)
      await actOnLink(user, random, areDownloadsCounted)
    else if (percentile < 45 || !file) await upload(user, createPendingUpload(user, random))
    else if (percentile < 65) await downloadOwnFile(user, file, areDownloadsCounted)
    else if (percentile < 75) await renew(user, file, user.days[random(user.days.length)] ?? 3)
    else if (percentile < 80) await Promise.all([renew(user, file, 3), deleteFile(user, file)])
    else if (percentile < 92) await deleteFile(user, file)
    else if (percentile < 96) await signIn(user)
    else await changePassword(user, random)
  }
}
