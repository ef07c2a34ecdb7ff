import { refuseOtherFile } from '../picking/file-identity.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { repeat } from '../timers.ts'
import { pause } from '../transfer/connection.ts'
import { questionTimeoutMs, waitBeforeNext } from '../transfer/next-step.ts'
import { answerOf, askOnce, type Repeating, type UploadCalls } from '../transfer/upload-calls.ts'
import { mayPass, unreadableText } from '../upload-errors.ts'
import type { PickedFile } from '../uploads-state.ts'
import type { UploadData } from './upload-data.ts'
import type { DataState, UploadEvent } from './upload-events.ts'
import { canResumeByItself } from './upload-machine.ts'
import { canComeBack } from './upload-steps.ts'

/** How often the clock looks whether a paused upload may go on. */
const lookEveryMs = 1000

/** How often storage is asked for what it holds before a person is asked for the file. */
const maxAsked = 3

/** Where the bytes of an upload are, as far as the server told; else only as far as this browser knows. */
interface Found {
  where: DataState
  isSure: boolean
}

/** Whether a person can give what this browser does not have. */
const canHelp = ({ pasted }: UploadRecord, where: DataState): boolean =>
  where === 'permission' || (where === 'file' && !pasted)

/** What going on with uploads needs of the engine. */
export interface ComebackDeps extends Pick<Repeating, 'connection' | 'timers' | 'wait' | 'random'> {
  calls: Pick<UploadCalls, 'listParts'>
  data: UploadData
  sample: (file: Blob, signal: AbortSignal) => Promise<string | null>
  record: (id: string) => UploadRecord | undefined
  /** Those that are paused, but for those that wait for a sign-in. */
  paused: ReadonlySet<string>
  dispatch: (id: string, event: UploadEvent) => void
}

/** Goes on with uploads that are not under way: finds their bytes, or says what it takes to have them. */
export interface Comebacks {
  /** Looks for the bytes of a paused or failed upload, and goes on with it as far as they are found. */
  seek(id: string): Promise<void>
  /** Looks where the bytes are without going on, so that a person is asked at once for what it takes. */
  askFor(record: UploadRecord): Promise<void>
  /** Why a file is not the record's own; null when it is. */
  refuse(record: UploadRecord, file: File): Promise<string | null>
  /** Goes on with these bytes, which are its own; false where it needs none (any more). */
  provide(id: string, picked: PickedFile): boolean
  /** Gives a file to the first of these uploads that is paused and whose own it is; false when none is. */
  provideToAny(ids: readonly string[], picked: PickedFile): Promise<boolean>
  /** Looks from now on after those that may go on by themselves, while there are any (spec §4). */
  wake(): void
  /** Nobody is to go on with it any more, or somebody has begun to: its bytes are not looked for. */
  leave(id: string): void
  /** The server is asked nothing any more. */
  close(): void
}

export const createComebacks = (deps: ComebackDeps): Comebacks => {
  const { calls, timers, data, sample, record: recordOf, paused, dispatch } = deps
  /** Those whose bytes are being looked for. */
  const sought = new Map<string, { found: Promise<Found | null>; end: AbortController }>()

  /**
   * Whether storage has all bytes, or has made a file of them: then it is confirmed without them. Null
   * when nobody answered a few times; a server may be away for long, and a person can help meanwhile.
   */
  const askStorage = async (
    { ticket, fileSize }: UploadRecord,
    signal: AbortSignal,
  ): Promise<boolean | null> => {
    if (!ticket) return false
    const ask = (limit: AbortSignal) =>
      calls.listParts({ cloudKey: ticket.cloudKey }, AbortSignal.any([signal, limit]))
    for (let tries = 1; ; tries += 1) {
      const listed = await askOnce({ ask, withinMs: questionTimeoutMs }, timers)
      signal.throwIfAborted()
      if (listed.ok) {
        const { parts } = listed.value
        const held = parts.reduce((sum, { size }) => sum + size, 0)
        return parts.length >= (ticket.parts?.count ?? 1) && held === fileSize
      }
      const { refusal } = listed
      if (!mayPass(refusal)) return refusal.status === 404
      if (tries === maxAsked) return null
      await pause(waitBeforeNext(answerOf(refusal), tries, deps.random()), signal, deps)
    }
  }

  const lookFor = async (record: UploadRecord, signal: AbortSignal): Promise<Found> => {
    const where = await data.find(record)
    signal.throwIfAborted()
    if (where === 'ready') return { where, isSure: true }
    const isStored = await askStorage(record, signal)
    return { where: isStored ? 'stored' : where, isSure: isStored !== null }
  }
  /** Null when the search was left. */
  const find = (record: UploadRecord): Promise<Found | null> => {
    const { id } = record
    const known = sought.get(id)
    if (known) return known.found
    const end = new AbortController()
    const found = lookFor(record, end.signal)
      .catch(() => null)
      .finally(() => {
        if (sought.get(id)?.end === end) sought.delete(id)
      })
    sought.set(id, { found, end })
    return found
  }
  const leave = (id: string) => {
    sought.get(id)?.end.abort(new DOMException('It is not looked for any more.', 'AbortError'))
    sought.delete(id)
  }

  const seek = async (id: string) => {
    const record = recordOf(id)
    if (!record || !canComeBack(record)) return
    const found = await find(record)
    if (!found) return
    // Its file may have been given meanwhile.
    const where = data.file(id) ? 'ready' : found.where
    // Only storage may still have them: they are not lost before it has answered.
    if (where !== 'ready' && !found.isSure && !canHelp(record, where)) return
    dispatch(id, { type: 'resume', data: where })
  }

  const refuse = (record: UploadRecord, file: File): Promise<string | null> =>
    refuseOtherFile(record.identity, file, (of) => sample(of, new AbortController().signal)).catch(
      () => unreadableText(file.name),
    )
  const provide = (id: string, picked: PickedFile): boolean => {
    const record = recordOf(id)
    if (!record || !canComeBack(record)) return false
    data.keep(id, picked)
    dispatch(id, { type: 'resume', data: 'ready' })
    return true
  }

  return {
    seek,
    askFor: async (record) => {
      const where = (await find(record))?.where
      if (!where || !canHelp(record, where)) return
      // Another tab may have given them meanwhile.
      if (!data.file(record.id)) dispatch(record.id, { type: 'resume', data: where })
    },
    refuse,
    provide,
    provideToAny: async (ids, picked) => {
      for (const id of ids) {
        const record = recordOf(id)
        // Another file of the same drop may have been its own.
        if (!record || !paused.has(id) || data.file(id)) continue
        if ((await refuse(record, picked.file)) !== null) continue
        if (provide(id, picked)) return true
      }
      return false
    },
    wake: repeat(timers, lookEveryMs, () => {
      const now = timers.now()
      let areAnyLeft = false
      for (const id of paused) {
        const record = recordOf(id)
        if (record?.need !== null) continue
        areAnyLeft = true
        if (canResumeByItself(record, now)) void seek(id)
      }
      return areAnyLeft
    }),
    leave,
    close: () => {
      for (const id of [...sought.keys()]) leave(id)
    },
  }
}
