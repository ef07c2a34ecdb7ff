import { setTimeout as wait } from 'node:timers/promises'
import yauzl from 'yauzl'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import type { Link } from '../../src/shared/contract/links.ts'
import { hangTimeoutMs } from '../support/hang-timeout.ts'
import { type Client, json, makeClient, sha256 } from '../support/make.ts'
import type { RandomInt } from '../support/seeded-rounds.ts'
import { type Caller, call } from './call.ts'
import { Violation } from './expected-file.ts'
import {
  confirmDelivery,
  type ExpectedRequest,
  requestFiles,
  type StartedLink,
  share,
  startDelivery,
} from './sent-link.ts'

/** A link of several files, with everything that the server's responses have revealed. */
export interface ExpectedLink {
  idempotencyKey: string
  files: { name: string; bytes: Buffer<ArrayBuffer> }[]
  days: number
  password: string | null
  maxDownloads: number | null
  /** Null until the server has answered the start. */
  started: StartedLink | null
  /** True if a visitor sends the files to a request, which is null until it exists. */
  isSent: boolean
  request: ExpectedRequest | null
  /** True once every file is confirmed and visitors can download it. */
  isComplete: boolean
  deletion: 'none' | 'response lost' | 'done'
  /** How many downloads were certainly or possibly counted. */
  downloads: { min: number; max: number }
  expiresAt: Date
}

/** The part of a simulated user that concerns links of several files. */
export interface LinkOwner extends Caller {
  tier: 'free' | 'premium'
  /** Together with the seed, determines what the user uploads. */
  number: number
  /** How long this user may choose to keep a file, in days. */
  days: readonly number[]
  client: Client
  uploadCount: number
  /** Only premium users make links of several files. */
  links: ExpectedLink[]
}

const maxFiles = 4
const maxFileBytes = 32 * 1024
const type = 'application/octet-stream'
const pollMs = 50

/** Draws a link of two to four small files, some with a password or a download limit. */
export function drawLink(user: LinkOwner, random: RandomInt): ExpectedLink {
  user.uploadCount += 1
  const name = `${user.tier}-${user.number}-${user.uploadCount}`
  const files = Array.from({ length: 2 + random(maxFiles - 1) }, (_, index) => ({
    // Every other file has the same name, which the archive must tell apart.
    name: `${name}-${index % 2}.bin`,
    bytes: Buffer.alloc(1 + random(maxFileBytes), `${name} ${index} `),
  }))
  const isSent = random(3) === 0
  return {
    idempotencyKey: `${name} ${random(2 ** 31)}`,
    files,
    days: user.days[random(user.days.length)] ?? 3,
    isSent,
    request: null,
    password: !isSent && random(3) === 0 ? `secret ${random(1000)}` : null,
    maxDownloads: !isSent && random(3) === 0 ? 1 + random(3) : null,
    started: null,
    isComplete: false,
    deletion: 'none',
    downloads: { min: 0, max: 0 },
    expiresAt: new Date(0),
  }
}

/**
 * Starts a link, or continues it after a lost response. If one is lost again, the link stays
 * incomplete.
 */
export async function uploadLink(user: LinkOwner, link: ExpectedLink): Promise<void> {
  link.started ??= await (link.isSent ? startSent(user, link) : start(user, link))
  const { started } = link
  if (started === null) return
  const { cloudKeys, urls } = started
  const headers = { 'content-type': type }
  const putResponses = await Promise.all(
    link.files.map(({ bytes: body }, index) =>
      call(user, 'send bytes', () => fetch(urls[index] ?? '', { method: 'PUT', headers, body })),
    ),
  )
  if (putResponses.includes(null)) return
  // The URLs have expired. Starting again returns new ones.
  if (putResponses.some((response) => response?.status === 403)) {
    link.started = null
    return
  }
  const codes = await (link.isSent ? confirmDelivery(user, started) : confirmLink(user, cloudKeys))
  if (codes === null) return
  // A confirm whose response was lost may have sealed only some of the files.
  const lostCode = codes.find((code) => code === 'UPLOAD_INCOMPLETE')
  if (lostCode && putResponses.every((putResponse) => putResponse?.ok)) {
    throw new Violation(`bytes of ${link.idempotencyKey} were lost`)
  }
  link.isComplete = codes.length === 0 && (!link.isSent || (await share(user, started)))
  // The uploads were idle for a day, or have lost a race against that.
  if (codes.includes('UPLOAD_NOT_FOUND') || codes.includes('REQUEST_NOT_FOUND')) {
    user.links = user.links.filter((other) => other !== link)
  }
}

/** Confirms files. Returns the codes of the errors, or null if the response was lost. */
async function confirmLink(user: LinkOwner, cloudKeys: string[]): Promise<ErrorCode[] | null> {
  const uploads = cloudKeys.map((cloudKey) => ({ cloudKey }))
  const response = await call(user, 'confirm a link', () =>
    user.client.post('/api/files/confirm-uploads', { uploads }),
  )
  const confirmed = response?.ok
    ? await json<{ results: { error?: { code: ErrorCode } }[] }>(response).catch(() => null)
    : null
  return confirmed?.results.flatMap(({ error }) => error?.code ?? []) ?? null
}

/** Starts a delivery of these files to a request of the user. */
async function startSent(user: LinkOwner, link: ExpectedLink): Promise<StartedLink | null> {
  link.request ??= await requestFiles(user)
  if (link.request === null) return null
  const { idempotencyKey } = link
  return startDelivery(user, link.request, { idempotencyKey, files: announce(link) })
}

function announce({ files }: ExpectedLink) {
  return files.map(({ name, bytes }) => ({
    fileName: name,
    fileSize: bytes.length,
    fileType: type,
  }))
}

async function start(user: LinkOwner, link: ExpectedLink): Promise<StartedLink | null> {
  const { idempotencyKey, days, password, maxDownloads } = link
  const response = await call(user, 'start a link', () =>
    user.client.post('/api/links', {
      idempotencyKey,
      files: announce(link),
      expirationDays: days,
      password,
      maxDownloads,
    }),
  )
  const body = response?.ok
    ? await json<{ link: Link; uploads: { cloudKey: string; uploadUrl: string }[] }>(
        response,
      ).catch(() => null)
    : null
  if (body === null) return null
  return {
    code: body.link.shortCode,
    cloudKeys: body.uploads.map(({ cloudKey }) => cloudKey),
    urls: body.uploads.map(({ uploadUrl }) => uploadUrl),
    uploadToken: null,
  }
}

/**
 * Downloads a complete link as an archive, first without its password. Returns the status, or null
 * if there was no complete response.
 * @param isCounted true if the server is certain to count the download.
 * @throws {Violation} if the archive has wrong files, or the link opens without its password or
 * beyond its limit.
 */
export async function downloadLink(
  user: LinkOwner,
  link: ExpectedLink,
  isCounted: boolean,
): Promise<number | null> {
  const url = `/api/download/${link.started?.code}`
  const visitor = makeClient(user)
  if (link.password !== null) {
    const lockedResponse = await visitor.fetch(url).catch(() => null)
    await lockedResponse?.arrayBuffer().catch(() => {})
    if (lockedResponse?.ok) throw new Violation(`${link.idempotencyKey} opens without its password`)
  }
  const authorization = `Basic ${btoa(`:${link.password ?? ''}`)}`
  const headers = { ...(link.password !== null && { authorization }) }
  link.downloads.max += 1
  const response = await call(user, 'download a link', () => visitor.fetch(url, { headers }))
  if (response?.status !== 200) {
    await response?.arrayBuffer().catch(() => {})
    return response?.status ?? null
  }
  if (isCounted) link.downloads.min += 1
  const { min } = link.downloads
  if (link.maxDownloads !== null && min > link.maxDownloads) {
    throw new Violation(`${link.idempotencyKey} was downloaded ${min} times`)
  }
  const body = await response.arrayBuffer().catch(() => null)
  if (body === null) return null
  await checkArchive(link, Buffer.from(body))
  return 200
}

async function checkArchive({ idempotencyKey, files }: ExpectedLink, bytes: Buffer): Promise<void> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true })
  const hashes: string[] = []
  for await (const entry of zip.eachEntry()) {
    const chunks = await (await zip.openReadStreamPromise(entry)).toArray()
    hashes.push(sha256(Buffer.concat(chunks)))
  }
  const expectedHashes = files.map((file) => sha256(file.bytes))
  if (hashes.join() !== expectedHashes.join()) {
    throw new Violation(`the archive of ${idempotencyKey} has other files`)
  }
}

export async function deleteLink(user: LinkOwner, link: ExpectedLink): Promise<void> {
  const response = await call(user, 'delete a link', () =>
    user.client.fetch(`/api/links/${link.started?.code}`, { method: 'DELETE' }),
  )
  if (response?.ok) link.deletion = 'done'
  else if (response === null && link.deletion === 'none') link.deletion = 'response lost'
}

/** Retries the user's incomplete links. Call it only while no fault is active. */
export async function finishLinks(user: LinkOwner): Promise<void> {
  const deadline = performance.now() + hangTimeoutMs
  for (;;) {
    const incompleteLinks = user.links.filter(({ isComplete }) => !isComplete)
    if (incompleteLinks.length === 0) return
    if (performance.now() > deadline) {
      throw new Violation(`${incompleteLinks[0]?.idempotencyKey} cannot be completed`)
    }
    for (const link of incompleteLinks) await uploadLink(user, link)
    await wait(pollMs)
  }
}

/**
 * Compares the user's links with the server's list of them. Forgets those that are deleted or have
 * expired by `latest`.
 * @throws {Violation} if a complete link or one of its files is missing, or a limit was exceeded.
 */
export async function checkLinks(user: LinkOwner, latest: Date): Promise<void> {
  const response = await user.client.fetch('/api/links')
  if (!response.ok) throw new Violation(`the list of links answered ${response.status}`)
  const listedLinks = await json<Link[]>(response)
  const linksByCode = new Map(listedLinks.map((listedLink) => [listedLink.shortCode, listedLink]))
  for (const link of user.links) {
    const { idempotencyKey: name, started, files, downloads, maxDownloads } = link
    const listed = started ? linksByCode.get(started.code) : undefined
    if (listed && link.deletion === 'done') throw new Violation(`${name} is listed, but deleted`)
    if (!link.isComplete) continue
    if (!listed) {
      if (link.deletion === 'none') throw new Violation(`the link ${name} is lost`)
      link.deletion = 'done'
      continue
    }
    link.deletion = 'none'
    link.expiresAt = new Date(listed.expiresAt)
    const listedNames = listed.files.map((file) => `${file.name} ${file.size} ${file.state}`)
    const expectedNames = files.map((file) => `${file.name} ${file.bytes.length} ready`)
    if (listedNames.join() !== expectedNames.join()) {
      throw new Violation(`the link ${name} lists ${listedNames.join()}`)
    }
    const { downloadCount } = listed
    const isTooMany = maxDownloads !== null && downloadCount > maxDownloads
    if (isTooMany || downloadCount < downloads.min || downloadCount > downloads.max) {
      throw new Violation(`${name} has ${downloadCount} counted downloads`)
    }
  }
  user.links = user.links.filter(
    ({ deletion, isComplete, expiresAt }) =>
      deletion !== 'done' && (!isComplete || latest < expiresAt),
  )
}
