import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { zipNames } from '../shared/rules/files/zip-names.ts'
import type { CallResponse } from '../web/api/call.ts'
import { bytesPerSecond, withSample } from '../web/uploads/engine/upload-speed.ts'
import type { toInterruption } from '../web/uploads/interruption.ts'
import { isTransient, Retries } from '../web/uploads/transfer/retry-policy.ts'
import type { CallError } from '../web/uploads/upload-errors.ts'
import { type Call, createCall, fillPath, noResponse, toCallError } from './api.ts'
import { CliError, callErrorMessage, exitCodeOf, exitCodes, unwrap } from './cli-error.ts'
import { createRetryDeps } from './engine.ts'
import { parseLink } from './links.ts'
import { Progress } from './progress.ts'

type LinkDetails = Extract<CallResponse<'linkDetails'>, { files: unknown }>
type RemoteFile = LinkDetails['files'][number]

/** How to reach a link. */
interface OpenLink {
  url: (fileId: string) => URL
  headers: Record<string, string>
  call: Call
  readDetails: () => Promise<LinkDetails>
}

/**
 * Saves the files of a link in a folder and prints their paths. Continues what an earlier run has
 * left unfinished, and compares every file with the SHA-256 that the server knows.
 * @throws {CliError} if a file can't be downloaded or differs, or another file has its name.
 */
export async function get(
  address: string,
  { folder, password }: { folder: string; password?: string | undefined },
  origin: string | null,
): Promise<void> {
  const link = await openLink(parseLink(address, origin), password)
  const { state, files } = await link.readDetails()
  if (state === 'uploading')
    throw new CliError('The files are still on their way. Try again later.')
  await mkdir(folder, { recursive: true })
  const names = zipNames(files.map(({ name }) => name))
  for (const [index, file] of files.entries()) {
    const path = join(folder, names[index] ?? file.id)
    await new Download(link, file, path).run()
    process.stdout.write(`${path}\n`)
  }
}

/** Like any visitor, without the key, because the link may lead to another server. */
async function openLink(
  { origin, code }: { origin: string; code: string },
  password: string | undefined,
): Promise<OpenLink> {
  const headers: Record<string, string> = {}
  if (password !== undefined) headers.cookie = await unlock(origin, code, password)
  const call = createCall(origin, headers)
  return {
    url: (fileId) => new URL(fillPath('/api/download/{code}/{fileId}', { code, fileId }), origin),
    headers,
    call,
    readDetails: async () => {
      const details = unwrap(await call('linkDetails', { params: { code } }))
      if ('files' in details) return details
      throw new CliError('This link needs a password: use --password.', exitCodes.forbidden)
    },
  }
}

/** Returns the cookie that unlocks the link, which is empty if the link has no password. */
async function unlock(origin: string, code: string, password: string): Promise<string> {
  const response = await fetch(new URL(fillPath('/api/links/{code}/unlock', { code }), origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  }).catch(() => null)
  if (!response) return unwrap({ ok: false, error: noResponse })
  if (!response.ok) return unwrap({ ok: false, error: await toCallError(response) })
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/** Downloads a file into a hidden one beside its final path, and moves it when it is complete. */
class Download {
  readonly #link: OpenLink
  readonly #file: RemoteFile
  readonly #path: string
  readonly #partPath: string
  readonly #progress = new Progress()
  #receivedBytes = 0
  #samples = withSample([], performance.now(), 0)

  constructor(link: OpenLink, file: RemoteFile, path: string) {
    this.#link = link
    this.#file = file
    this.#path = path
    const [partName = ''] = zipNames([`.mayfly-${file.id}.part`])
    this.#partPath = join(path, '..', partName)
  }

  async run(): Promise<void> {
    const { sha256 } = this.#file
    if ((await sizeOf(this.#path)) !== null) {
      if (sha256 !== null && (await sha256Of(this.#path)) === sha256) return
      throw new CliError(`${this.#path} exists already.`)
    }
    try {
      await this.#receive()
      await this.#verify()
      await rename(this.#partPath, this.#path)
    } catch (error) {
      const isFileError = error instanceof Error && 'syscall' in error && 'code' in error
      throw isFileError ? new CliError(`${this.#path} can't be written: ${error.code}`) : error
    } finally {
      this.#progress.clear()
    }
  }

  /** Receives what is missing, however often the connection is lost. */
  async #receive(): Promise<void> {
    const { signal } = new AbortController()
    const retries = new Retries(
      {
        signal,
        onInterrupted: (interruption) => this.#showProgress(interruption),
        progress: () => this.#receivedBytes,
      },
      createRetryDeps(this.#link.call),
    )
    for (;;) {
      const failure = await this.#attempt()
      if (failure === null) return
      if (!isTransient(failure) || !(await retries.waitForNext(failure))) {
        throw new CliError(callErrorMessage(failure), exitCodeOf(failure))
      }
    }
  }

  /** Returns null if all bytes have been received, otherwise why not. */
  async #attempt(): Promise<CallError | null> {
    const { id, size } = this.#file
    const offset = (await sizeOf(this.#partPath)) ?? 0
    if (offset === size && size > 0) return null
    const range = offset > 0 && offset < size && { range: `bytes=${offset}-` }
    const headers = { ...this.#link.headers, 'accept-encoding': 'identity', ...range }
    const response = await fetch(this.#link.url(id), { headers }).catch(() => null)
    if (!response) return noResponse
    if (!response.ok) return toCallError(response)
    const isRest = response.status === 206
    this.#receivedBytes = isRest ? offset : 0
    const part = await open(this.#partPath, isRest ? 'a' : 'w')
    try {
      await this.#write(response, part)
    } finally {
      await part.close()
    }
    return this.#receivedBytes < size ? noResponse : null
  }

  /** Writes the body until it ends or the connection is lost. */
  async #write(response: Response, part: FileHandle): Promise<void> {
    const reader = response.body?.getReader()
    for (;;) {
      const result = await reader?.read().catch(() => null)
      if (!result || result.done) return
      await part.writeFile(result.value)
      this.#receivedBytes += result.value.length
      this.#showProgress(null)
    }
  }

  #showProgress(interruption: ReturnType<typeof toInterruption> | null): void {
    const now = performance.now()
    this.#samples = withSample(this.#samples, now, this.#receivedBytes)
    this.#progress.update(this.#path, {
      doneBytes: this.#receivedBytes,
      totalBytes: this.#file.size,
      bytesPerSecond: bytesPerSecond(this.#samples, now),
      interruption,
    })
  }

  /** @throws {CliError} if the file isn't the one that was uploaded. */
  async #verify(): Promise<void> {
    const { id, size } = this.#file
    const sha256 = this.#file.sha256 ?? (await this.#readSha256(id))
    const isSame = sha256 === null || (await sha256Of(this.#partPath)) === sha256
    if ((await sizeOf(this.#partPath)) !== size || !isSame) {
      await rm(this.#partPath)
      throw new CliError(`${this.#path} arrived damaged. Try again.`)
    }
    if (sha256 === null) {
      this.#progress.print(`The server doesn't know the SHA-256 of ${this.#path} yet.`)
    }
  }

  /** The server may have computed it during the download. */
  async #readSha256(id: string): Promise<string | null> {
    const { files } = await this.#link.readDetails()
    return files.find((file) => file.id === id)?.sha256 ?? null
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
