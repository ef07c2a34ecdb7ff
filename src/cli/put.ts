import type { ListedError } from '../shared/contract/errors.ts'
import { announcedFile, createRecord } from '../web/uploads/engine/new-record.ts'
import { type RunDeps, type RunResult, UploadRun } from '../web/uploads/engine/upload-run.ts'
import { toCompleted, toPending } from '../web/uploads/engine/upload-state.ts'
import { toTicket } from '../web/uploads/records/to-ticket.ts'
import type { UploadRecord } from '../web/uploads/records/upload-record.ts'
import { batchCalls } from '../web/uploads/transfer/batch-calls.ts'
import { createSendFile } from '../web/uploads/transfer/send-file.ts'
import { callTimeoutMs } from '../web/uploads/transfer/storage-request.ts'
import {
  type CallDeps,
  callWithRetries,
  canRetryStart,
} from '../web/uploads/transfer/upload-calls.ts'
import { TransferError, type TransferErrorKind } from '../web/uploads/upload-ports.ts'
import { authorization, type Call, createCall, noResponse } from './api.ts'
import { CliError, callErrorMessage, exitCodeOf, exitCodes } from './cli-error.ts'
import { createRetryDeps } from './engine.ts'
import { findFiles, type LocalFile, openFile } from './local-files.ts'
import { nodeChecksums } from './node-checksums.ts'
import { Progress } from './progress.ts'
import { sendByHttp } from './send-by-http.ts'
import type { Settings } from './settings.ts'
import { createId, removeOldStates, type SavedUploads, UploadState } from './upload-state.ts'

/** The options of the links that `put` makes. */
export interface PutOptions {
  expirationDays: number
  title?: string | undefined
  password?: string | undefined
  maxDownloads?: number | undefined
}

/** A state that is lost costs a few calls, because the server knows what it has. */
const saveIntervalMs = 500
/** In bytes. A larger file is sent in parallel parts. */
const maxSmallFileSize = 8 * 1024 ** 2
const maxFilesInProgress = 5

const transferTexts: Record<TransferErrorKind, string> = {
  status: 'storage refused the file',
  network: 'the connection was lost too often',
  timeout: 'the connection is too slow',
  unreadable: 'the file has changed or can no longer be read',
  changed: 'the file has changed since its upload started',
  'signed-out': 'the key is missing or not valid',
  gone: 'the server no longer knows this upload',
  'disk-full': "the server's disk is full",
}

/**
 * Uploads files and those in folders, and prints the link once all are stored. Continues what an
 * earlier run of the same command has left unfinished.
 * @param isEach true for a link per file.
 * @throws {CliError} if a file can't be uploaded.
 */
export async function put(
  paths: readonly string[],
  options: PutOptions & { isEach: boolean },
  settings: Settings,
): Promise<void> {
  const { isEach, ...linkOptions } = options
  removeOldStates(Date.now())
  const files = await findFiles(paths)
  if (files.length === 0) throw new CliError('There are no files to upload.', exitCodes.usage)
  const states: UploadState[] = []
  for (const group of isEach ? files.map((file) => [file]) : [files]) {
    const state = new UploadState([settings, linkOptions, group])
    const shortCode = await new LinkUpload(settings, linkOptions, state).run(group)
    process.stdout.write(`${settings.origin}/s/${shortCode}\n`)
    states.push(state)
  }
  // Not earlier, so that a repeated command doesn't upload files again.
  for (const state of states) state.remove()
}

/** Uploads the files of one link. */
class LinkUpload {
  readonly #options: PutOptions
  readonly #state: UploadState
  readonly #call: Call
  readonly #retryDeps: CallDeps
  readonly #progress = new Progress()
  readonly #records = new Map<string, UploadRecord>()
  readonly #runs = new Set<UploadRun>()
  readonly #failures: CliError[] = []
  #isSignedOut = false
  #label = ''
  #saveSometimes: () => unknown = () => {}

  constructor(settings: Settings, options: PutOptions, state: UploadState) {
    this.#options = options
    this.#state = state
    this.#call = createCall(settings.origin, authorization(settings))
    this.#retryDeps = createRetryDeps(this.#call)
  }

  /** Returns the link's short code. */
  async run(localFiles: readonly LocalFile[]): Promise<string> {
    const files = localFiles.map(openFile)
    const saved = (await this.#loadSaved()) ?? this.#create(files)
    const shortCode = saved.shortCode ?? (await this.#start(saved))
    for (const record of saved.records) this.#records.set(record.id, record)
    let savedAt = 0
    const save = () => {
      savedAt = performance.now()
      this.#state.save({ ...saved, shortCode, records: [...this.#records.values()] })
    }
    this.#saveSometimes = () => performance.now() - savedAt > saveIntervalMs && save()
    this.#label = `${files.length === 1 ? '1 file' : `${files.length} files`} to ${shortCode}`
    await this.#send(new Map(saved.records.map(({ id }, index) => [id, files[index]])), shortCode)
    save()
    this.#progress.clear()
    const [failure, ...others] = this.#failures
    for (const { message } of others) this.#progress.print(message)
    if (failure) throw failure
    return shortCode
  }

  /** Returns what an earlier run has left, unless its link has ended. */
  async #loadSaved(): Promise<SavedUploads | null> {
    const saved = this.#state.load()
    if (!saved?.shortCode) return saved
    const outcome = await this.#call('linkDetails', { params: { code: saved.shortCode } })
    if (!outcome.ok && outcome.error.status === 404) return null
    const now = Date.now()
    const records = saved.records.map((record) => {
      // The earlier run may have sent bytes, even if it ended before it could save that.
      const uploadStartTime = record.uploadStartTime ?? now
      return record.status === 'completed' ? record : { ...toPending(record, now), uploadStartTime }
    })
    return { ...saved, records }
  }

  #create(files: readonly File[]): SavedUploads {
    const batch = createId()
    const { expirationDays } = this.#options
    const records = files.map((file, index) =>
      createRecord({
        id: `${batch}.${index}`,
        batch,
        ownerId: '',
        path: 'background',
        expirationDays,
        picked: { file },
        now: Date.now(),
      }),
    )
    const uploads = { id: batch, shortCode: null, records }
    // Before the start, so that a repeated command sends the same key and gets the same link.
    this.#state.save(uploads)
    return uploads
  }

  async #start(saved: SavedUploads): Promise<string> {
    const { expirationDays, ...options } = this.#options
    const files = saved.records.map(announcedFile)
    const body = { ...options, files, expirationDays, idempotencyKey: saved.id }
    const outcome = await callWithRetries(
      {
        call: (_, signal) => this.#call('createLink', { body, signal }),
        input: undefined,
        // Without a response, the address is probably wrong.
        shouldRetry: (error) => error.status !== null && canRetryStart(error),
      },
      { signal: new AbortController().signal },
      this.#retryDeps,
    )
    if (!outcome.ok) {
      const lines = describeRefusals(saved.records, outcome.error.errors ?? [])
      const message = lines.join('\n') || callErrorMessage(outcome.error)
      this.#state.remove()
      throw new CliError(message, exitCodeOf(outcome.error))
    }
    const { link, uploads } = outcome.value
    const { shortCode } = link
    for (const [index, upload] of uploads.entries()) {
      const record = saved.records[index]
      if (record) Object.assign(record, { ticket: toTicket(upload), link: { shortCode } })
    }
    this.#state.save({ ...saved, shortCode })
    return shortCode
  }

  /** Sends the files that aren't stored yet: small ones together, then one large one at a time. */
  async #send(files: ReadonlyMap<string, File | undefined>, shortCode: string): Promise<void> {
    const deps = this.#createRunDeps(shortCode)
    const unstored = [...this.#records.values()].filter(({ status }) => status !== 'completed')
    const runAll = async (queue: UploadRecord[]) => {
      for (let record = queue.shift(); record; record = queue.shift()) {
        const file = files.get(record.id)
        if (file && !this.#isSignedOut) await this.#runOne(record.id, file, deps)
      }
    }
    const small = unstored.filter(({ fileSize }) => fileSize <= maxSmallFileSize)
    await Promise.all(Array.from({ length: maxFilesInProgress }, () => runAll(small)))
    await runAll(unstored.filter(({ fileSize }) => fileSize > maxSmallFileSize))
  }

  async #runOne(id: string, file: File, deps: RunDeps): Promise<void> {
    const get = () => this.#records.get(id) as UploadRecord
    const update = (changes: Partial<UploadRecord>) => {
      const before = get()
      const record = { ...before, ...changes }
      this.#records.set(id, record)
      if (before.status !== record.status || before.ticket !== record.ticket) this.#saveSometimes()
    }
    const run = new UploadRun(file, deps, { get, update, onActivityChange: () => this.#show() })
    this.#runs.add(run)
    const result = await run.run()
    this.#runs.delete(run)
    if (result?.type === 'stored') update(toCompleted(get(), Date.now()))
    else if (result) this.#failures.push(toError(get(), result))
    if (result?.type === 'paused') this.#isSignedOut = true
  }

  #createRunDeps(code: string): RunDeps {
    const call = this.#call
    return {
      ...this.#retryDeps,
      calls: {
        // Every upload belongs to a link that exists.
        getUploadUrl: () => Promise.reject(new Error('Unexpected start of a link.')),
        listParts: ({ cloudKey }, signal) => call('listParts', { query: { cloudKey }, signal }),
        confirmUpload: batchCalls((uploads, signal) =>
          call('confirmUploads', { body: { uploads }, signal }),
        ),
        abortUpload: ({ cloudKey }) => {
          const signal = AbortSignal.timeout(callTimeoutMs)
          return call('abortUpload', { body: { cloudKey }, signal })
        },
      },
      startInLink: async (record, signal) => {
        const body = { files: [announcedFile(record)] }
        const outcome = await call('addFiles', { params: { code }, body, signal })
        const [value] = outcome.ok ? outcome.value.uploads : []
        if (value) return { ok: true, value }
        return outcome.ok ? { ok: false, error: noResponse } : outcome
      },
      sendFile: createSendFile({
        ...this.#retryDeps,
        send: sendByHttp,
        checksums: nodeChecksums,
        signParts: ({ cloudKey, partNumbers }, signal) =>
          call('signParts', { body: { cloudKey, partNumbers }, signal }),
        waitWhileUnloading: () => Promise.resolve(),
      }),
      checksumsOf: nodeChecksums.file,
      reportError: (error) => this.#progress.print(String(error)),
    }
  }

  #show(): void {
    const records = [...this.#records.values()]
    const activities = [...this.#runs].flatMap(({ activity }) => activity ?? [])
    const isInterrupted = activities.every(({ interruption }) => interruption !== null)
    this.#progress.update(this.#label, {
      doneBytes: sum(records.map(({ uploadedBytes }) => uploadedBytes)),
      totalBytes: sum(records.map(({ fileSize }) => fileSize)),
      bytesPerSecond: sum(activities.map((activity) => activity.bytesPerSecond ?? 0)),
      interruption: isInterrupted ? (activities[0]?.interruption ?? null) : null,
    })
  }
}

/** Returns a line per reason, because all files of a folder may be refused for the same one. */
function describeRefusals(records: readonly UploadRecord[], refusals: readonly ListedError[]) {
  const namesByReason = new Map<string, (string | undefined)[]>()
  for (const { index, message } of refusals) {
    const name = records[index]?.fileName
    namesByReason.set(message, [...(namesByReason.get(message) ?? []), name])
  }
  return Array.from(namesByReason, ([reason, [name, ...others]]) =>
    others.length === 0 ? `${name}: ${reason}` : `${others.length + 1} files: ${reason}`,
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function toError({ fileName }: UploadRecord, result: Exclude<RunResult, { type: 'stored' }>) {
  if (result.type === 'paused')
    return new CliError(transferTexts['signed-out'], exitCodes.forbidden)
  const { cause } = result
  const isTransfer = cause instanceof TransferError
  const text = isTransfer ? transferTexts[cause.kind] : callErrorMessage(cause)
  const status = isTransfer && cause.kind === 'status' ? ` (${cause.status})` : ''
  return new CliError(
    `${fileName}: ${text}${status}`,
    isTransfer ? exitCodes.failed : exitCodeOf(cause),
  )
}
