import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { CallResponse } from '../web/api/call.ts'
import { createRetries, isTransient } from '../web/uploads/transfer/retry-policy.ts'
import type { CallError } from '../web/uploads/upload-errors.ts'
import {
  createCall,
  createRetryDeps,
  noResponse,
  readError,
  retryOptions,
  sendRequest,
} from './api.ts'
import { CliError, exitCodes, unwrap } from './cli-error.ts'
import { showProgress } from './progress.ts'
import { type Options, parseLink, readJson, type Settings, writeJson } from './settings.ts'

type RemoteFile = Extract<
  CallResponse<'GET /api/links/{code}'>,
  { files: unknown }
>['files'][number]

/** Where a link is. `headers` unlock it. */
interface Address {
  origin: string
  code: string
  headers: Record<string, string>
}

type Link = Address & Awaited<ReturnType<typeof readDetails>>

/**
 * Saves the files of a link in a folder and prints their paths. Continues what an earlier run has
 * left unfinished, and compares every file with the SHA-256 that the server knows.
 * @throws {CliError} if a file can't be downloaded or differs, another file has its name, or the
 * link has more files than downloads are left.
 */
export async function get(
  [address = '']: string[],
  { output = '.', password }: Options,
  settings: Settings,
): Promise<void> {
  // Without the key, because the link may lead to another server.
  const place: Address = { ...parseLink(address, settings), headers: {} }
  await mkdir(output, { recursive: true })
  const stateFile = join(output, `.mayfly-${place.code}.json`)
  const saved = await readJson<Link>(stateFile)
  const link = await open(place, password).catch((error: CliError) => {
    // When a link is used up, a download that has begun can still finish.
    if (saved === null || error.exitCode !== exitCodes.notFound) throw error
    return saved
  })
  const { files, remainingDownloads: left } = link
  if (saved === null && left !== null && left < files.length)
    throw new CliError(`The link has ${files.length} files, but its limit leaves only ${left}.`)
  const takenPaths = new Set<string>()
  for (const file of files) {
    file.sha256 ??= saved?.files.find(({ id }) => id === file.id)?.sha256 ?? null
    await writeJson(stateFile, link)
    // A malicious server could send a path, or control characters for the terminal.
    const { name, ext } = parse(file.name.replaceAll(/[\\\p{Cc}]/gu, '/'))
    let path = join(output, name + ext)
    for (let number = 2; takenPaths.has(path.toLowerCase()); number += 1) {
      path = join(output, `${name} (${number})${ext}`)
    }
    takenPaths.add(path.toLowerCase())
    await download(link, file, path)
    console.log(path)
  }
  await rm(stateFile, { force: true })
}

/** Unlocks a link and returns it with its files. */
async function open(place: Address, password: string | undefined): Promise<Link> {
  if (password !== undefined) {
    const input = { params: { code: place.code }, body: { password } }
    const outcome = await createCall(place.origin, {})('POST /api/links/{code}/unlock', input)
    unwrap(outcome)
    place.headers.cookie = outcome.headers?.['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
  }
  return { ...place, ...(await readDetails(place)) }
}

async function readDetails({ origin, code, headers }: Address) {
  const call = createCall(origin, headers)
  const details = unwrap(await call('GET /api/links/{code}', { params: { code } }))
  if (!('files' in details)) throw new CliError('Use --password.', exitCodes.forbidden)
  if (details.state === 'uploading') throw new CliError('The files are still being uploaded.')
  return details
}

/** Downloads a file into a hidden one beside its final path, and moves it when it is complete. */
async function download(link: Link, file: RemoteFile, path: string): Promise<void> {
  if ((await sizeOf(path)) >= 0) {
    if ((await sha256Of(path)) === file.sha256) return
    throw new CliError(`${path} already exists and ${file.sha256 ? 'differs' : 'may differ'}.`)
  }
  const partPath = join(path, '..', `.mayfly-${encodeURIComponent(file.id)}.part`)
  await receive(link, file, partPath)
  // The server may have computed it during the download. A link that is used up doesn't show it.
  const { files } = file.sha256 ? link : await readDetails(link).catch(() => link)
  const expected = files.find(({ id }) => id === file.id)?.sha256
  // A repeated command recognizes the file by it, even if the server doesn't know it yet.
  file.sha256 = await sha256Of(partPath)
  if (!expected) process.stderr.write(`The server doesn't know the SHA-256 of ${path} yet.\n`)
  else if (file.sha256 !== expected) {
    await rm(partPath)
    throw new CliError(`${path} was corrupted on the way. Try again.`)
  }
  await rename(partPath, path)
}

/** Receives what is missing, however often the connection is lost. */
async function receive(
  { origin, code, headers }: Link,
  file: RemoteFile,
  partPath: string,
): Promise<void> {
  const url = new URL(`/api/download/${code}/${encodeURIComponent(file.id)}`, origin)
  let size = await sizeOf(partPath)
  const options = { ...retryOptions, progress: () => size }
  const retries = createRetries(options, createRetryDeps(createCall(origin, {})))
  while (size < file.size) {
    const error = await receiveRest(url, { headers }, file, partPath, size)
    size = await sizeOf(partPath)
    if (!isTransient(error)) unwrap({ ok: false, error })
    if (size < file.size && !(await retries.waitForNext(error))) unwrap({ ok: false, error })
  }
}

/** Receives bytes until there are no more or the connection is lost, and returns why it ended. */
async function receiveRest(
  url: URL,
  { headers }: Partial<Pick<Address, 'headers'>>,
  file: RemoteFile,
  path: string,
  offset: number,
): Promise<CallError> {
  const range = offset > 0 && { range: `bytes=${offset}-` }
  const response = await sendRequest(url, { headers: { ...headers, ...range } }).catch(() => null)
  if (!response) return noResponse
  const error = await readError(response)
  const { location } = response.headers
  // A bucket sends its files itself.
  if (location && headers) return receiveRest(new URL(location, url), {}, file, path, offset)
  if (error) return error
  const isRest = response.statusCode === 206
  let receivedBytes = isRest ? offset : 0
  async function* readBody(body: AsyncIterable<Buffer>) {
    try {
      for await (const chunk of body) {
        receivedBytes += chunk.length
        showProgress('Downloading', receivedBytes, file.size)
        yield chunk
      }
    } catch {
      // The connection was lost.
    }
  }
  const options = isRest ? { flags: 'r+', start: offset } : {}
  await pipeline(readBody(response), createWriteStream(path, options))
  return noResponse
}

/** Returns a file's size in bytes, or -1 if it doesn't exist. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? -1
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
