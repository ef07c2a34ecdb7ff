import { refuseOtherFile } from '../picking/file-identity.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { repeat } from '../timers.ts'
import { questionTimeoutMs } from '../transfer/next-step.ts'
import { type Repeating, type UploadCalls, untilAnswered } from '../transfer/upload-calls.ts'
import { isCancelled, mayPass, unreadableText } from '../upload-failure.ts'
import type { PickedFile } from '../uploads-state.ts'
import type { UploadData } from './upload-data.ts'
import type { DataState, UploadEvent } from './upload-events.ts'
import { canResumeByItself } from './upload-machine.ts'
import { isUnderWay } from './upload-steps.ts'

/** How often the clock looks whether a paused upload may go on. */
const lookEveryMs = 1000

/** What going on with uploads needs of the engine. */
export interface ComebackDeps extends Omit<Repeating, 'onInterrupted'> {
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
  /** The server is asked nothing any more. */
  close(): void
}

export const createComebacks = (deps: ComebackDeps): Comebacks => {
  const { calls, timers, data, sample, record: recordOf, paused, dispatch } = deps
  /** Those whose bytes are being looked for. */
  const sought = new Map<string, Promise<DataState>>()
  const end = new AbortController()

  /** Whether storage has all bytes, or has made a file of them: then it is confirmed without them. */
  const mayBeStored = async ({ ticket, fileSize }: UploadRecord): Promise<boolean> => {
    if (!ticket) return false
    const { signal } = end
    const listed = await untilAnswered(
      {
        ask: (limit) =>
          calls.listParts({ cloudKey: ticket.cloudKey }, AbortSignal.any([signal, limit])),
        withinMs: questionTimeoutMs,
        isPassing: mayPass,
      },
      signal,
      { ...deps, onInterrupted: () => undefined },
    )
    if (!listed.ok) return listed.refusal.status === 404
    const { parts } = listed.value
    const held = parts.reduce((sum, { size }) => sum + size, 0)
    return parts.length >= (ticket.parts?.count ?? 1) && held === fileSize
  }

  const lookFor = async (record: UploadRecord): Promise<DataState> => {
    const where = await data.find(record)
    if (where === 'ready' || !(await mayBeStored(record).catch(() => false))) return where
    return 'stored'
  }
  const find = (record: UploadRecord): Promise<DataState> => {
    const known = sought.get(record.id)
    if (known) return known
    const looking = lookFor(record).finally(() => sought.delete(record.id))
    sought.set(record.id, looking)
    return looking
  }

  const seek = async (id: string) => {
    const record = recordOf(id)
    if (!record || isUnderWay(record)) return
    const where = await find(record)
    // Its file may have been given meanwhile.
    const isHere = data.file(id) !== undefined
    dispatch(id, { type: 'resume', data: isHere ? 'ready' : where })
  }

  const refuse = (record: UploadRecord, file: File): Promise<string | null> =>
    refuseOtherFile(record.identity, file, (of) => sample(of, new AbortController().signal)).catch(
      () => unreadableText(file.name),
    )
  const provide = (id: string, picked: PickedFile): boolean => {
    const record = recordOf(id)
    const isEnded = !record || record.status === 'completed' || isCancelled(record)
    if (isEnded || isUnderWay(record)) return false
    data.keep(id, picked)
    dispatch(id, { type: 'resume', data: 'ready' })
    return true
  }

  return {
    seek,
    askFor: async (record) => {
      const where = await find(record)
      const canHelp = where === 'permission' || (where === 'file' && !record.pasted)
      // Another tab may have given them meanwhile.
      if (canHelp && !data.file(record.id)) dispatch(record.id, { type: 'resume', data: where })
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
    close: () => end.abort(new DOMException('These uploads are closed.', 'AbortError')),
  }
}
