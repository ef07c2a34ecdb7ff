import { refuseOtherFile } from './file-identity.ts'
import { repeat, type Timers } from './timers.ts'
import type { UploadData } from './upload-data.ts'
import type { UploadEvent } from './upload-events.ts'
import { transferText } from './upload-failure.ts'
import { canResumeByItself } from './upload-machine.ts'
import type { UploadRecord } from './upload-record.ts'
import { isUnderWay } from './upload-tally.ts'
import type { PickedFile } from './uploads-state.ts'

/** How often the clock looks whether a paused upload may go on. */
const lookEveryMs = 1000

/** What going on with uploads needs of the engine. */
export interface ComebackDeps {
  timers: Timers
  data: UploadData
  sample: (file: Blob, signal: AbortSignal) => Promise<string | null>
  record: (id: string) => UploadRecord | undefined
  /** Those that are paused, but for those that wait for a sign-in. */
  paused: ReadonlySet<string>
  dispatch: (id: string, event: UploadEvent) => void
}

/** Goes on with uploads that are not under way: finds their bytes, or says what it takes to have them. */
export interface Comebacks {
  /** Goes on as far as the bytes are there. */
  seek(id: string): Promise<void>
  /** Says what it will take to go on with a record that is not to go on yet. */
  askFor(record: UploadRecord): Promise<void>
  /** Why a file is not the record's own; null when it is. */
  refuse(record: UploadRecord, file: File): Promise<string | null>
  /** These are its bytes. */
  provide(id: string, picked: PickedFile): void
  /** Looks from now on after those that may go on by themselves, while there are any (spec §4). */
  wake(): void
}

export const createComebacks = ({
  timers,
  data,
  sample,
  record: recordOf,
  paused,
  dispatch,
}: ComebackDeps): Comebacks => {
  /** Those whose bytes are being looked for. */
  const sought = new Set<string>()

  const seek = async (id: string) => {
    const record = recordOf(id)
    if (!record || isUnderWay(record.status) || sought.has(id)) return
    sought.add(id)
    const where = await data.find(record)
    sought.delete(id)
    dispatch(id, { type: 'resume', data: where })
  }

  return {
    seek,
    askFor: async (record) => {
      const where = await data.find(record)
      const canHelp = where === 'permission' || (where === 'file' && !record.pasted)
      // Another tab may have given them meanwhile.
      if (canHelp && !data.file(record.id)) dispatch(record.id, { type: 'resume', data: where })
    },
    refuse: (record, file) =>
      refuseOtherFile(record.identity, file, (of) =>
        sample(of, new AbortController().signal),
      ).catch(() => transferText(record.path, 'unreadable', null)),
    provide: (id, picked) => {
      const record = recordOf(id)
      if (!record || isUnderWay(record.status) || record.status === 'completed') return
      data.keep(id, picked)
      dispatch(id, { type: 'resume', data: 'ready' })
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
  }
}
