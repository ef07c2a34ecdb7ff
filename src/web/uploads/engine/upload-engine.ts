import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { coalesce, repeat } from '../timers.ts'
import { isCancelled } from '../upload-errors.ts'
import { type Notice, otherFileNotice, signedOutNotice } from '../upload-notices.ts'
import type { UploadLive } from '../uploads-state.ts'
import { createAborts } from './upload-aborts.ts'
import { createAccounts } from './upload-accounts.ts'
import { createComebacks } from './upload-comebacks.ts'
import type { EngineEffects, EngineState, UploadEngine } from './upload-engine-ports.ts'
import type { UploadEffect, UploadEvent } from './upload-events.ts'
import { advance } from './upload-machine.ts'
import { type AddedFiles, matchPicked, newRecord } from './upload-plan.ts'
import { startRun, type UploadRun } from './upload-run.ts'
import { canComeBack, isOver, isUnderWay } from './upload-steps.ts'
import { createTurns, isLargeDrop } from './upload-turns.ts'
import { whileWanted } from './while-wanted.ts'

/** Many changes at once are shown together. */
const shownEveryMs = 50
/** The list of files is read anew at most so often while uploads run. */
const refreshEveryMs = 1000
/** Spec §9: cleanup every 60 s. */
const cleanUpEveryMs = 60_000
/** How long a cancelled upload says that it was. */
const cancelledShownMs = 2000

/**
 * Makes the engine of one user. It keeps the records and hands each event on: the machine says what
 * becomes of a record, `perform` has done what that asks for. It ends what a page before it began: takes
 * up its records, and gives back the places that it could not.
 * @param found the records of this user that the browser's storage holds. Spec §4: those that are
 *   uploading or pending become paused.
 */
export const createEngine = (
  ownerId: string,
  found: readonly UploadRecord[],
  outside: EngineEffects,
): UploadEngine => {
  const aborts = createAborts(ownerId, { ...outside, abortUpload: outside.calls.abortUpload })
  const calls = { ...outside.calls, abortUpload: aborts.abort }
  const effects = { ...outside, calls }
  const { timers, data } = effects
  const records = new Map<string, UploadRecord>()
  /** Of those that have their turn. */
  const runs = new Map<string, UploadRun>()
  const live = new Map<string, UploadLive>()
  /** Paused, but not for want of a sign-in: they may come back by themselves or with their file. */
  const paused = new Set<string>()
  /** Completed or failed: the cleanup removes them in time. */
  const over = new Set<string>()
  /** Paused, with bytes that are lost when this page goes. */
  const unsaved = new Set<string>()
  let inlineError: string | null = null
  let isAskedToSignIn = false
  /** New files of which the page has not been told yet. */
  let unlisted: StoredFile[] = []
  let isClosed = false
  const holdPage = whileWanted(effects.holdPage)
  const keepAwake = whileWanted(effects.keepAwake)

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
    const file = data.file(id) ?? null
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
    dispatch(id, { type: 'run', hasFile: file !== null })
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
        return void aborts.abort(effect.cloudKey)
      case 'forget-soon':
        return void timers.after(cancelledShownMs, () => dispatch(id, { type: 'forget' }))
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

  /** Puts a record that changed into the sets above; holds the page while bytes would go with it. */
  const sort = (id: string, record: UploadRecord | null) => {
    const put = (set: Set<string>, isIn: boolean) => void (isIn ? set.add(id) : set.delete(id))
    const isPaused = record?.status === 'paused'
    const picked = isPaused ? data.picked(id) : undefined
    put(paused, isPaused && record.need !== 'sign-in')
    put(over, record !== null && isOver(record))
    put(unsaved, picked !== undefined && !picked.handle)
    if (!record || !canComeBack(record)) comebacks.leave(id)
    if (paused.size > 0) comebacks.wake()
    if (over.size > 0) wakeCleanUp()
    holdPage(accounts.underWay() + unsaved.size > 0)
    keepAwake(accounts.underWay() > 0)
  }

  const dispatch = (id: string, event: UploadEvent) => {
    const before = records.get(id)
    if (!before || isClosed) return
    const run = runs.get(id)
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
    if (wanted.some(({ type }) => type === 'end-turn')) turns.leave(id, run?.starting() ?? null)
    else if (record?.ticket) turns.placed(id)
  }
  const dispatchAll = (ids: readonly string[], event: UploadEvent) => {
    for (const id of ids) dispatch(id, event)
  }

  const comebacks = createComebacks({
    ...effects,
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

  const takeUp = (found: readonly UploadRecord[]) => {
    for (const record of found) {
      if (records.has(record.id)) continue
      if (isCancelled(record)) {
        effects.records.remove(record.id)
        continue
      }
      // Changes nothing of those that are neither uploading nor pending.
      insert(advance(record, { type: 'halt' }, timers.now()).record ?? record)
      if (record.need === 'sign-in') void comebacks.seek(record.id)
      else if (paused.has(record.id)) void comebacks.askFor(record)
    }
  }
  takeUp(found)
  aborts.resume()

  const end = () => {
    isClosed = true
    for (const run of runs.values()) run.end()
    comebacks.close()
    aborts.close()
    holdPage(false)
    keepAwake(false)
  }

  return {
    add: async (added) => {
      const waiting = [...paused].map((id) => records.get(id)).filter((it) => it !== undefined)
      const matches = matchPicked(added.files, waiting)
      const unmatched = added.files.filter(({ id }) => !matches.has(id))
      if (unmatched.length > 0) add({ ...added, files: unmatched })
      const others: AddedFiles['files'][number][] = []
      for (const one of added.files) {
        const ids = matches.get(one.id)
        if (ids && !(await comebacks.provideToAny(ids, one.picked))) others.push(one)
      }
      if (others.length > 0) add({ ...added, files: others })
    },
    takeUp: (found) => {
      takeUp(found)
      changed()
    },
    cancel: (id) => dispatch(id, { type: 'cancel' }),
    cancelForeground: () => {
      accounts.cancelForeground()
      const isMeant = (id: string) => {
        const record = records.get(id)
        return record?.path === 'foreground' && isUnderWay(record)
      }
      // Those that wait go first, lest one begins as another ends.
      dispatchAll([...turns.waiting(), ...runs.keys()].filter(isMeant), { type: 'cancel' })
    },
    resume: (id) => void comebacks.seek(id),
    resumeSignedIn: async () => {
      aborts.resume()
      if (![...records.values()].some(({ need }) => need === 'sign-in')) return
      const user = await effects.calls.currentUser()
      if (!user.ok || user.value !== ownerId) return
      isAskedToSignIn = false
      for (const { id, need } of records.values()) if (need === 'sign-in') void comebacks.seek(id)
    },
    provideFile: async (id, picked) => {
      const record = records.get(id)
      const reason = record ? await comebacks.refuse(record, picked.file) : null
      if (reason !== null) tell(otherFileNotice(reason))
      else comebacks.provide(id, picked)
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
      end()
    },
    abandon: end,
  }
}
