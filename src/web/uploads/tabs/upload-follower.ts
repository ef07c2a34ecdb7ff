import type { UploadData } from '../engine/upload-data.ts'
import { isUnderWay } from '../engine/upload-machine.ts'
import { createRecordMirror, type RecordMirror } from '../records/record-mirror.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { repeat, type Timers } from '../timers.ts'
import type { UploadsPage, UploadsState } from '../uploads-state.ts'
import type { Live, OwnedCommand } from './upload-leader.ts'

/** How often a tab that follows looks for bytes that nobody needs any more. */
const sweepEveryMs = 60_000

/** What a tab shows of uploads. */
export type ShownUploads = Pick<UploadsState, 'records' | 'live' | 'inlineError' | 'outcome'>

export const noUploads: ShownUploads = { records: [], live: {}, inlineError: null, outcome: null }

export interface FollowerDeps {
  timers: Timers
  records: Pick<RecordStore, 'load'>
  /** The files that were added in this tab. */
  data: UploadData
  page: UploadsPage
  /** Who is signed in in this page; null for nobody. */
  user: () => string | null
  keepAwake: (isWanted: boolean) => void
  send: (command: OwnedCommand) => void
  onChange: () => void
}

/** What a tab does while another one leads: shows its uploads, and gives it the files that were added here. */
export interface UploadFollower {
  begin(): void
  end(): void
  /** What the leader tells. */
  hear(live: Live): void
  /** A key of the browser's storage has this value now. False where this tab does not follow. */
  hearStorage(key: string | null, value: string | null): boolean
  /** The uploads of this user. */
  shown(ownerId: string): ShownUploads
  /** Files were added in this tab: it keeps them as long as there are records of them. */
  keepFiles(): void
}

export function createFollower(deps: FollowerDeps): UploadFollower {
  const { timers, data, page, keepAwake } = deps
  /** While this tab follows. */
  let mirror: RecordMirror | null = null
  /** What the leader told last. */
  let heard: Live | null = null
  /** What this tab has given the leader of what that wanted. */
  const supplied = new Set<string>()
  /** Uploads whose bytes were let go, since they are completed. */
  let released = new Set<string>()
  /** Files that had no record at the last look. */
  let withoutRecord: ReadonlySet<string> = new Set()

  function begin(): void {
    released = new Set()
    mirror = createRecordMirror(deps.records.load, timers, recordsChanged)
    recordsChanged()
    sweep()
  }

  function recordsChanged(): void {
    const records = mirror?.records() ?? []
    for (const { id, status } of records) {
      if (status !== 'completed' || released.has(id)) continue
      released.add(id)
      data.drop(id)
    }
    // A person may be looking at this page, not at the one that leads.
    keepAwake(records.some(isUnderWay))
    deps.onChange()
  }

  /**
   * Lets go of files without a record. Only at the second look: the leader may not have written the
   * record of a file that was just added.
   */
  const sweep = repeat(timers, sweepEveryMs, () => {
    if (!mirror) return false
    const known = new Set(mirror.records().map(({ id }) => id))
    const unknown = data.ids().filter((id) => !known.has(id))
    for (const id of unknown) if (withoutRecord.has(id)) data.drop(id)
    withoutRecord = new Set(unknown)
    return data.ids().length > 0
  })

  function hear(live: Live): void {
    const before = heard
    heard = live
    if (live.ownerId !== deps.user()) return
    supply(live)
    if (before && live.stored !== before.stored) page.onStored([])
    if (before && live.notice && live.notice.id !== before.notice?.id) {
      page.onNotice(live.notice.notice)
    }
    deps.onChange()
  }

  /** Gives the leader the files that a closed tab had, where this one has them too. */
  function supply({ ownerId, wanted }: Live): void {
    for (const id of supplied) if (!wanted.includes(id)) supplied.delete(id)
    for (const id of wanted) {
      const picked = data.picked(id)
      if (!picked || supplied.has(id)) continue
      supplied.add(id)
      deps.send({ ownerId, name: 'supplyFile', args: [id, picked] })
    }
  }

  function shown(ownerId: string): ShownUploads {
    const isTheirs = (record: UploadRecord) => record.ownerId === ownerId
    const records = mirror?.records().filter(isTheirs) ?? []
    const { live, inlineError, outcome } = heard?.ownerId === ownerId ? heard : noUploads
    return { records, live, inlineError, outcome }
  }

  return {
    begin,
    end: () => {
      mirror = null
      keepAwake(false)
    },
    hear,
    hearStorage: (key, value) => {
      mirror?.hear(key, value)
      return mirror !== null
    },
    shown,
    keepFiles: sweep,
  }
}
