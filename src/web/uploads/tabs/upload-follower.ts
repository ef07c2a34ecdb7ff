import type { UploadData } from '../engine/upload-data.ts'
import { isUnderWay } from '../engine/upload-machine.ts'
import { createRecordMirror, type RecordMirror } from '../records/record-mirror.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { repeat, type Timers } from '../timers.ts'
import type { UploadsPage, UploadsState } from '../uploads-state.ts'
import type { Live, OwnedCommand } from './upload-leader.ts'

/** How often a tab that does not lead looks for files that are no longer needed. */
const sweepEveryMs = 60_000

/** What a tab shows about uploads. */
export type ShownUploads = Pick<UploadsState, 'records' | 'live' | 'inlineError' | 'outcome'>

export const noUploads: ShownUploads = { records: [], live: {}, inlineError: null, outcome: null }

export interface FollowerDeps {
  timers: Timers
  records: Pick<RecordStore, 'load'>
  /** The files that were added in this tab. */
  data: UploadData
  page: UploadsPage
  /** Returns the user who is signed in in this page; null when signed out. */
  user: () => string | null
  keepAwake: (isWanted: boolean) => void
  send: (command: OwnedCommand) => void
  onChange: () => void
}

/**
 * The work of a tab while another tab, the leader, runs the uploads. It shows the uploads, and
 * gives the leader the files that were added here.
 */
export interface UploadFollower {
  begin(): void
  end(): void
  /** Takes each state that the leader sends. */
  hear(live: Live): void
  /** Takes each change of localStorage. Returns false when this tab is not following a leader. */
  hearStorage(key: string | null, value: string | null): boolean
  /** Returns what the tab shows to this user. */
  shown(ownerId: string): ShownUploads
  /**
   * Starts a regular check of the files that were added in this tab. It forgets those whose upload
   * records are gone.
   */
  keepFiles(): void
}

export function createFollower(deps: FollowerDeps): UploadFollower {
  const { timers, data, page, keepAwake } = deps
  /** The records that the leading tab writes; null unless another tab leads. */
  let mirror: RecordMirror | null = null
  /** The last state that the leader sent. */
  let heard: Live | null = null
  /**
   * The ids of the uploads whose files this tab has given to the leader, because the leader lacked
   * them.
   */
  const supplied = new Set<string>()
  /** The ids of the completed uploads whose files this tab has forgotten. */
  let released = new Set<string>()
  /** The ids of the files that had no upload record at the last check. */
  let withoutRecord: ReadonlySet<string> = new Set()

  const begin = (): void => {
    released = new Set()
    mirror = createRecordMirror(deps.records.load, timers, recordsChanged)
    recordsChanged()
    sweep()
  }

  const recordsChanged = (): void => {
    const records = mirror?.records() ?? []
    for (const { id, status } of records) {
      if (status !== 'completed' || released.has(id)) continue
      released.add(id)
      data.drop(id)
    }
    // The person may be looking at this page and not at the leader's page, so this tab keeps the
    // device awake too.
    keepAwake(records.some(isUnderWay))
    deps.onChange()
  }

  /**
   * Forgets a file without an upload record, but only if two checks in a row found no record. The
   * leader may not have written the record of a new file yet.
   */
  const sweep = repeat(timers, sweepEveryMs, () => {
    if (!mirror) return false
    const known = new Set(mirror.records().map(({ id }) => id))
    const unknown = data.ids().filter((id) => !known.has(id))
    for (const id of unknown) if (withoutRecord.has(id)) data.drop(id)
    withoutRecord = new Set(unknown)
    return data.ids().length > 0
  })

  const hear = (live: Live): void => {
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

  /**
   * Gives the leader (the tab that runs the uploads) the files that it lacks and this tab has. The
   * leader lacks files if it has just taken the place of a closed tab.
   */
  const supply = ({ ownerId, wanted }: Live): void => {
    for (const id of supplied) if (!wanted.includes(id)) supplied.delete(id)
    for (const id of wanted) {
      const picked = data.picked(id)
      if (!picked || supplied.has(id)) continue
      supplied.add(id)
      deps.send({ ownerId, name: 'supplyFile', args: [id, picked] })
    }
  }

  const shown = (ownerId: string): ShownUploads => {
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
