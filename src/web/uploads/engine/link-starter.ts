import { errorTable } from '../../../shared/contract/errors.ts'
import { isFinished } from '../records/record-state.ts'
import { toTicket } from '../records/to-ticket.ts'
import type { RecordLink, StartedUpload, UploadRecord } from '../records/upload-record.ts'
import type { StartLink, UploadCalls } from '../transfer/upload-calls.ts'
import { linkEndedText, type Outcome } from '../upload-errors.ts'
import { announcedFile } from './new-record.ts'
import type { UploadList } from './upload-list.ts'
import type { RunDeps } from './upload-run.ts'
import { isActive } from './upload-state.ts'

export interface LinkStarterDeps {
  calls: Pick<UploadCalls, 'startLink' | 'abortUpload'>
  list: UploadList
  /** Updates one of this tab's uploads. */
  update: (record: UploadRecord) => void
}

/** Outcomes by record ID. */
type Starts = Map<string, Outcome<StartedUpload>>

/**
 * Returns a function that starts an upload together with all others of its drop, with one call.
 * Files that the server refuses fail when it is their turn; the others share the link.
 */
export function createLinkStarter(deps: LinkStarterDeps): RunDeps['startInLink'] {
  const runningStarts = new Map<string, Promise<Starts>>()

  const startDrop = (record: UploadRecord, signal: AbortSignal) => {
    const { batch } = record
    const startPromise = startTogether(deps, record, signal).finally(() =>
      runningStarts.delete(batch),
    )
    runningStarts.set(batch, startPromise)
    return startPromise
  }

  return async (record, signal) => {
    for (;;) {
      const starts = await (runningStarts.get(record.batch) ?? startDrop(record, signal))
      const outcome = starts.get(record.id)
      if (outcome) return outcome
      // The upload was queued after that call had been sent.
    }
  }
}

async function startTogether(
  deps: LinkStarterDeps,
  record: UploadRecord,
  signal: AbortSignal,
): Promise<Starts> {
  const starts: Starts = new Map()
  const isWaiting = (other: UploadRecord) =>
    other.batch === record.batch &&
    other.id !== record.id &&
    isActive(other) &&
    other.ticket === null &&
    deps.list.isClaimed(other.id)
  const uploads = [...deps.list.all().filter(isWaiting), record]
  let remaining = uploads.sort((a, b) => (a.id < b.id ? -1 : 1))
  while (remaining.length > 0) {
    const outcome = await sendStart(deps.calls.startLink, remaining, signal)
    if (outcome.ok) {
      for (const [index, { id }] of remaining.entries()) {
        const value = outcome.value.uploads[index]
        if (value) starts.set(id, { ok: true, value })
      }
      saveTickets(deps, uploads, starts, outcome.value.link)
      break
    }
    const { error } = outcome
    const refusals = new Map(error.errors?.map((refusal) => [refusal.index, refusal]))
    for (const [index, { id }] of remaining.entries()) {
      const refusal = refusals.get(index)
      if (refusal) {
        const { code, message } = refusal
        starts.set(id, { ok: false, error: { status: errorTable[code].status, code, message } })
      } else if (refusals.size === 0) starts.set(id, { ok: false, error })
    }
    remaining = remaining.filter(({ id }) => !starts.has(id))
  }
  return starts
}

async function sendStart(
  startLink: StartLink,
  uploads: readonly UploadRecord[],
  signal: AbortSignal,
): ReturnType<StartLink> {
  const [first] = uploads
  if (!first?.link) throw new Error('Expected an upload that shares a link.')
  const start = {
    link: first.link,
    files: uploads.map(announcedFile),
    ownerId: first.ownerId,
    expirationDays: String(first.expirationDays),
    // A retry after a lost response has the same files.
    idempotencyKey: `${first.id}.${uploads.length}`,
  }
  const outcome = await startLink(start, signal)
  if (outcome.ok || outcome.error.code !== 'LINK_NOT_FOUND') return outcome
  return { ok: false, error: { ...outcome.error, message: linkEndedText } }
}

/** Saves the tickets of all uploads of a started link, and ends those cancelled in the meantime. */
function saveTickets(
  { calls, list, update }: LinkStarterDeps,
  uploads: readonly UploadRecord[],
  starts: Starts,
  link: RecordLink,
): void {
  for (const { id } of uploads) {
    const outcome = starts.get(id)
    const record = list.get(id)
    if (record && !isFinished(record)) {
      const ticket = outcome?.ok ? toTicket(outcome.value) : null
      update({ ...record, ticket, link })
    } else if (outcome?.ok) void calls.abortUpload(outcome.value)
  }
}
