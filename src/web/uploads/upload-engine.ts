import type { File as StoredFile } from '../../shared/contract/files.ts'
import { coalesce, repeat } from './timers.ts'
import { createAccounts } from './upload-accounts.ts'
import { createComebacks } from './upload-comebacks.ts'
import type { UploadData } from './upload-data.ts'
import type { UploadEffect, UploadEvent } from './upload-events.ts'
import { type Notice, otherFileNotice, signedOutNotice } from './upload-failure.ts'
import { advance } from './upload-machine.ts'
import { type AddedFiles, matchPicked, newRecord } from './upload-plan.ts'
import type { UploadRecord } from './upload-record.ts'
import type { RecordStore } from './upload-records.ts'
import { type RunEffects, startRun, type UploadRun } from './upload-run.ts'
import { isUnderWay } from './upload-tally.ts'
import { createTurns, isLargeDrop } from './upload-turns.ts'
import type { PickedFile, UploadLive, UploadsState } from './uploads-state.ts'

/** Many changes at once are shown together. */
const shownEveryMs = 50
/** The list of files is read anew at most so often while uploads run. */
const refreshEveryMs = 1000
/** Spec §9: cleanup every 60 s. */
const cleanUpEveryMs = 60_000

/** What the tabs show, as the engine has it. */
export interface EngineState
  extends Pick<UploadsState, 'records' | 'live' | 'inlineError' | 'outcome'> {
  /** Records whose bytes another tab may have. */
  wanted: readonly string[]
}

export interface EngineEffects extends RunEffects {
  records: RecordStore
  data: UploadData
  onChange: (state: EngineState) => void
  /** The list of files is to be refreshed (spec §7); `files` are new in it. */
  onStored: (files: readonly StoredFile[]) => void
  onNotice: (notice: Notice & { kind: 'toast' }) => void
  /** From now on the page asks before it goes, and the screen stays on; answers how to end that. */
  holdPage: () => () => void
}

/** Runs the uploads of one user in this browser: the records, their turns, and what they lead to. */
export interface UploadEngine {
  add(added: AddedFiles): void
  cancel(id: string): void
  /** Ends what runs and what waits on the foreground path. */
  cancelForeground(): void
  /** Goes on with a paused upload or tries a failed one again, as far as its bytes are there. */
  resume(id: string): void
  /** Somebody may be signed in again: goes on with what waits for that. */
  resumeSignedIn(): Promise<void>
  /** Gives a record its file again; another file is refused by name. */
  provideFile(id: string, picked: PickedFile): Promise<void>
  /** Another tab has bytes that were wanted. */
  supply(id: string, picked: PickedFile): void
  clear(): void
  dismissInlineError(): void
  state(): EngineState
  /** Everything under way is paused, and nothing runs any more. */
  close(): void
}

/**
 * @param found the records of this user that the browser's storage holds. Spec §4: those that are
 *   uploading or pending become paused.
 */
export const createEngine = (
  ownerId: string,
  found: readonly UploadRecord[],
  effects: EngineEffects,
): UploadEngine => {
  const { timers, data } = effects
  const records = new Map<string, UploadRecord>()
  const runs = new Map<string, UploadRun>()
  const live = new Map<string, UploadLive>()
  const paused = new Set<string>()
  const over = new Set<string>()
  let inlineError: string | null = null
  let isAskedToSignIn = false
  let unlisted: StoredFile[] = []
  let releasePage: (() => void) | null = null
  let isClosed = false

  const state = (): EngineState => ({
    records: [...records.values()],
    live: Object.fromEntries(live),
    inlineError,
    outcome: accounts.outcome(),
    wanted: [...paused].filter((id) => !data.file(id)),
  })
  const changed = coalesce(timers, shownEveryMs, () => {
    if (!isClosed) effects.onChange(state())
  })
  const refresh = coalesce(timers, refreshEveryMs, () => {
    effects.onStored(unlisted)
    unlisted = []
  })
  const list = (file: StoredFile) => {
    unlisted.push(file)
    refresh()
  }

  const tell = (notice: Notice) => {
    if (notice.kind === 'toast') return effects.onNotice(notice)
    inlineError = notice.text
    changed()
  }
  const accounts = createAccounts(timers, tell, changed)

  const turns = createTurns(timers, (id) => {
    const file = data.file(id)
    if (!file) return dispatch(id, { type: 'halt' })
    const run = startRun(effects, {
      file,
      record: () => records.get(id),
      onEvent: (event) => dispatch(id, event),
      onLive: (now) => {
        live.set(id, now)
        changed()
      },
      onStoredAnyway: list,
    })
    runs.set(id, run)
    run.identify()
    dispatch(id, { type: 'run' })
  })

  const perform = (record: UploadRecord, effect: UploadEffect) => {
    const { id } = record
    const run = runs.get(id)
    switch (effect.type) {
      case 'save':
        return effects.records.save(record)
      case 'remove':
        return effects.records.remove(id)
      case 'enqueue':
        return turns.enqueue({ id, size: record.fileSize, dropSize: accounts.dropSize(record) })
      case 'end-turn':
        run?.end()
        runs.delete(id)
        return live.delete(id)
      case 'get-ticket':
        return run?.getTicket(effect)
      case 'list-parts':
        return run?.listParts(effect)
      case 'transfer':
        return run?.transfer(effect)
      case 'confirm':
        return run?.confirm(effect)
      case 'abort-on-server':
        return void effects.calls.abortUpload(effect.cloudKey)
      case 'release-data':
        return data.forget(id)
      case 'tell':
        // A large drop is told of as a whole, at its end.
        if (effect.notice.kind === 'toast' && isLargeDrop(accounts.dropSize(record))) return
        return tell(effect.notice)
      case 'refresh-list':
        return list(effect.file)
      case 'stop-the-rest':
        return dispatchAll(turns.waiting(), { type: 'stopped', reason: effect.reason })
      case 'ask-to-sign-in':
        dispatchAll(turns.waiting(), { type: 'signed-out' })
        if (!isAskedToSignIn) tell(signedOutNotice)
        isAskedToSignIn = true
    }
  }

  /** Keeps the sets of those that time will do something to, and the page for those under way. */
  const sort = (id: string, record: UploadRecord | null) => {
    if (record?.status === 'paused' && record.need !== 'sign-in') paused.add(id)
    else paused.delete(id)
    if (record?.status === 'completed' || record?.status === 'failed') over.add(id)
    else over.delete(id)
    if (paused.size > 0) comebacks.wake()
    if (over.size > 0) wakeCleanUp()
    if (accounts.underWay() > 0) releasePage ??= effects.holdPage()
    else {
      releasePage?.()
      releasePage = null
    }
  }

  const dispatch = (id: string, event: UploadEvent) => {
    const before = records.get(id)
    if (!before || isClosed) return
    const { record, effects: wanted } = advance(before, event, timers.now())
    if (record) records.set(id, record)
    else records.delete(id)
    if (record !== before) {
      accounts.changed(before, record)
      sort(id, record)
      changed()
    }
    for (const effect of wanted) perform(record ?? before, effect)
    // Last, since the next one may start at once.
    if (wanted.some(({ type }) => type === 'end-turn')) turns.leave(id)
  }
  const dispatchAll = (ids: readonly string[], event: UploadEvent) => {
    for (const id of ids) dispatch(id, event)
  }

  const comebacks = createComebacks({
    timers,
    data,
    sample: effects.sample,
    record: (id) => (isClosed ? undefined : records.get(id)),
    paused,
    dispatch,
  })

  const insert = (record: UploadRecord) => {
    records.set(record.id, record)
    accounts.added(record)
    sort(record.id, record)
    effects.records.save(record)
  }

  const wakeCleanUp = repeat(timers, cleanUpEveryMs, () => {
    dispatchAll([...over], { type: 'tick' })
    return !isClosed && over.size > 0
  })

  const add = ({ files, ...drop }: AddedFiles) => {
    if (isClosed) return
    inlineError = null
    const added = files
      .filter(({ id }) => !records.has(id))
      .map(({ id, picked }) => {
        data.keep(id, picked)
        return newRecord({ id, ownerId, picked, now: timers.now(), ...drop })
      })
    for (const record of added) insert(record)
    // Only when all are there: how they take turns depends on how many they are.
    for (const record of added) perform(record, { type: 'enqueue' })
    changed()
  }

  /** Gives what was picked again to the paused uploads that wait for it, and adds the others. */
  const addOrProvide = async (added: AddedFiles, matches: ReadonlyMap<string, string>) => {
    const isProvided = async ({ id, picked }: AddedFiles['files'][number]) => {
      const record = records.get(matches.get(id) ?? '')
      if (!record) return false
      const reason = await comebacks.refuse(record, picked.file)
      if (reason === null) comebacks.provide(record.id, picked)
      return reason === null
    }
    const provided = await Promise.all(added.files.map(isProvided))
    add({ ...added, files: added.files.filter((_, index) => !provided[index]) })
  }

  for (const record of found) {
    // Changes nothing of those that are neither uploading nor pending.
    insert(advance(record, { type: 'halt' }, timers.now()).record ?? record)
    if (record.need === 'sign-in') void comebacks.seek(record.id)
    else if (paused.has(record.id)) void comebacks.askFor(record)
  }

  return {
    add: (added) => {
      const waiting = [...paused].map((id) => records.get(id)).filter((it) => it !== undefined)
      const matches = matchPicked(added.files, waiting)
      if (matches.size === 0) add(added)
      else void addOrProvide(added, matches)
    },
    cancel: (id) => dispatch(id, { type: 'cancel' }),
    cancelForeground: () => {
      accounts.cancelForeground()
      const isMeant = (id: string) => {
        const record = records.get(id)
        return record?.path === 'foreground' && isUnderWay(record.status)
      }
      // Those that wait go first, lest one begins as another ends.
      dispatchAll([...turns.waiting(), ...runs.keys()].filter(isMeant), { type: 'cancel' })
    },
    resume: (id) => void comebacks.seek(id),
    resumeSignedIn: async () => {
      if (![...records.values()].some(({ need }) => need === 'sign-in')) return
      const user = await effects.calls.currentUser()
      if (!user.ok || user.value !== ownerId) return
      isAskedToSignIn = false
      for (const { id, need } of records.values()) if (need === 'sign-in') void comebacks.seek(id)
    },
    provideFile: async (id, picked) => {
      const record = records.get(id)
      const reason = record ? await comebacks.refuse(record, picked.file) : null
      if (reason === null) comebacks.provide(id, picked)
      else tell(otherFileNotice(reason))
    },
    supply: (id, picked) => {
      if (paused.has(id) && !data.file(id)) comebacks.provide(id, picked)
    },
    clear: () => dispatchAll([...over], { type: 'clear' }),
    dismissInlineError: () => {
      inlineError = null
      changed()
    },
    state,
    close: () => {
      dispatchAll([...turns.waiting(), ...runs.keys()], { type: 'halt' })
      effects.records.flush()
      isClosed = true
    },
  }
}
