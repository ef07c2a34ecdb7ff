import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { maxBatchLength } from '../shared/contract/batch.ts'
import type { CallResponse } from '../web/api/call.ts'
import { sendBytes } from '../web/uploads/transfer/send-bytes.ts'
import { requestTimeoutMs } from '../web/uploads/transfer/storage-request.ts'
import { requireValue } from '../web/uploads/transfer/upload-calls.ts'
import type { CallError } from '../web/uploads/upload-errors.ts'
import { TransferError } from '../web/uploads/upload-ports.ts'
import { type Call, callRepeatedly, createRetryDeps, retryOptions } from './api.ts'
import { CliError, exitCodes, unwrap } from './cli-error.ts'
import { findFiles, type LocalFile, openFile } from './local-files.ts'
import { showProgress } from './progress.ts'
import { partChecksum, sendToStorage } from './send-to-storage.ts'
import {
  type Options,
  openServer,
  readJson,
  type Settings,
  uploadsDir,
  writeJson,
} from './settings.ts'

type StartedUpload = CallResponse<'POST /api/links'>['uploads'][number]

/**
 * Uploads files and those in folders, and prints the link once all are stored. Continues what an
 * earlier run of the same command has left unfinished.
 * @throws {CliError} if a file can't be uploaded.
 */
export async function put(paths: string[], options: Options, settings: Settings): Promise<void> {
  const { origin, call } = openServer(settings)
  const allFiles = await findFiles(paths)
  if (allFiles.length === 0) throw new CliError('There are no files.')
  const links = (options.each ? allFiles.map((file) => [file]) : [allFiles]).map((files) => {
    const command = JSON.stringify([settings, options, files])
    const id = createHash('sha256').update(command).digest('hex')
    return { files, id, stateFile: join(uploadsDir, `${id}.json`) }
  })
  await mkdir(uploadsDir, { recursive: true, mode: 0o700 })
  for (const link of links) console.log(`${origin}/s/${await putLink(link, options, call)}`)
  // Not earlier, so that a repeated command doesn't upload files again.
  for (const { stateFile } of links) await rm(stateFile, { force: true })
}

interface Job {
  file: LocalFile
  upload: StartedUpload
}

/** The link of a command. */
interface Link {
  files: LocalFile[]
  /** Identifies the command. */
  id: string
  /** Where the command keeps its uploads, so that a later run can continue them. */
  stateFile: string
}

/** Uploads the files of one link. Returns its code. */
async function putLink(link: Link, options: Options, call: Call): Promise<string | undefined> {
  const saved = await readJson<StartedUpload[]>(link.stateFile)
  const uploads = saved ?? (await startLink(link, options, call))
  const jobs = link.files.map((file, index) => ({ file, upload: uploads[index] as StartedUpload }))
  const sendQueue = async (queue: Iterable<Job>) => {
    for (const job of queue) await send(job, saved !== null, call)
  }
  // Four small files travel at once, and then large ones one by one, each with four parts at once.
  const small = jobs.filter(({ upload }) => !upload.parts).values()
  try {
    await Promise.all(Array.from({ length: 4 }, () => sendQueue(small)))
    await sendQueue(jobs.filter(({ upload }) => upload.parts))
    await confirmAll(uploads, call)
    return uploads[0]?.shortCode
  } catch (error) {
    // The server has removed uploads that were idle for a day.
    if (saved === null || (error as CliError).exitCode !== exitCodes.notFound) throw error
    await rm(link.stateFile, { force: true })
    return putLink(link, options, call)
  }
}

/** Starts the uploads. The same id returns the same ones. */
async function startLink(
  { files, id, stateFile }: Link,
  { days, limit, title, password }: Options,
  call: Call,
): Promise<StartedUpload[]> {
  const body = {
    files: files.map(({ name, size }) => ({ fileName: name, fileSize: size, fileType: '' })),
    expirationDays: days,
    maxDownloads: limit,
    title,
    password,
    idempotencyKey: id,
  }
  const shouldRetry = ({ status }: CallError) => [null, 429, 503].includes(status)
  const outcome = await callRepeatedly(call, 'POST /api/links', { body, shouldRetry })
  const refused = outcome.ok ? undefined : outcome.error.errors?.[0]
  if (!outcome.ok && refused) outcome.error.message += ` (${files[refused.index]?.path})`
  const { uploads } = unwrap(outcome)
  await writeJson(stateFile, uploads)
  return uploads
}

async function send({ file, upload }: Job, isResumed: boolean, call: Call): Promise<void> {
  const { cloudKey, metadata } = upload
  const deps = createRetryDeps(call)
  try {
    const route = 'GET /api/files/upload-parts'
    const stored = isResumed && (await callRepeatedly(call, route, { query: { cloudKey } }))
    if (stored && !stored.ok && stored.error.status !== 404) unwrap(stored)
    const job = {
      ...retryOptions,
      file: openFile(file),
      ticket: upload,
      contentType: metadata.mimeType,
      storedParts: stored ? requireValue(stored).parts : [],
      hasOriginalDate: true,
      isResumed,
      onProgress: (bytes: number) => showProgress(file.name, bytes, file.size),
    }
    await sendBytes(job, {
      ...deps,
      send: sendToStorage,
      checksums: { part: partChecksum },
      signParts: (body, signal) => call('POST /api/files/upload-parts', { body, signal }),
    })
  } catch (error) {
    if (!(error instanceof TransferError)) throw error
    // An earlier run may have confirmed it.
    if (error.kind === 'gone') return
    const isRevoked = error.kind === 'signed-out'
    const reason = isRevoked ? 'the key was revoked, or has expired' : error.message
    const exitCode = isRevoked ? exitCodes.forbidden : exitCodes.failed
    throw new CliError(`${file.path} can't be uploaded: ${reason}.`, exitCode)
  }
}

/** Confirms uploads. It makes no difference if an earlier run has done so. */
async function confirmAll(uploads: StartedUpload[], call: Call): Promise<void> {
  const keys = uploads.map(({ cloudKey }) => ({ cloudKey }))
  for (let from = 0; from < keys.length; from += maxBatchLength) {
    const body = { uploads: keys.slice(from, from + maxBatchLength) }
    const input = { body, timeoutMs: requestTimeoutMs }
    const outcome = await callRepeatedly(call, 'POST /api/files/confirm-uploads', input)
    const failed = unwrap(outcome).results.find((result) => 'error' in result)
    if (failed) unwrap({ ok: false, error: { ...failed.error, status: failed.error.httpStatus } })
  }
}
