import type { UploadData } from '../engine/upload-data.ts'
import { type EngineDeps, type EngineState, UploadEngine } from '../engine/upload-engine.ts'
import type { KeptHandles } from '../picking/handle-store.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { repeat } from '../timers.ts'
import type { UploadCommand } from '../upload-commands.ts'
import type { ToastNotice } from '../upload-notices.ts'

/**
 * Where tabs cannot elect one tab to run all uploads, an upload that was active within this time
 * may be running in another tab.
 */
const othersIdleMs = 60_000

/** A command with the id of the user who gave it in some tab. */
export type OwnedCommand = UploadCommand & { ownerId: string }

/**
 * The state that the leader, the tab that runs the uploads, sends to the other tabs. They read the
 * upload records from localStorage themselves.
 */
export interface Live extends Omit<EngineState, 'records'> {
  ownerId: string
  /** The last notice. Each has its own id, so that no tab shows it twice. */
  notice: { id: string; notice: ToastNotice } | null
  /** An id that changes whenever the list of files has changed. */
  stored: string
}

export interface LeaderDeps extends EngineDeps {
  handles: KeptHandles
  /** True where tabs cannot elect a leader. Then each tab runs its own uploads. */
  isAlone: boolean
  /** Returns the user who is signed in in this page. The page shows no uploads of other users. */
  pageUser: () => string | null
  /** Returns a short random id. */
  newId: () => string
  records: RecordStore
  data: UploadData
}

/** Runs the engine of the user who is signed in in this browser. */
export interface UploadLeader {
  /** Runs a command. Resolves when its result is saved. */
  obey(command: OwnedCommand): Promise<void>
  /** Returns the state of this user's engine; null when that engine does not run. */
  state(ownerId: string): EngineState | null
  /** Returns the state to send to the other tabs; null when no engine runs here. */
  live(): Live | null
  /** Resumes the uploads that wait for a sign-in, if their owner is signed in again. */
  resumeSignedIn(): void
  /** Ends the engine without writing anything, because another tab runs the uploads now. */
  resign(): void
}

/**
 * Makes the leader, which runs the uploads of all tabs in this tab. It runs one engine at a time,
 * because a browser has one session. It assumes that the user who gave the last command is signed
 * in.
 */
export function createLeader(deps: LeaderDeps): UploadLeader {
  const { records, timers, handles, isAlone, newId, pageUser } = deps
  let running: { ownerId: string; engine: UploadEngine } | null = null
  let notice: Live['notice'] = null
  let stored = newId()

  const obey = async (command: OwnedCommand): Promise<void> => {
    const { ownerId } = command
    const engine = running?.ownerId === ownerId ? running.engine : startEngine(ownerId)
    const obeyed = obeyedBy(engine, command)
    // The change is written immediately, because this tab may close at any moment. The tab that
    // gave the command forgets the command once it has ended, so nobody would repeat it.
    records.flush()
    await obeyed
    records.flush()
  }

  const startEngine = (ownerId: string): UploadEngine => {
    running?.engine.close()
    const all = records.load()
    void handles.removeAllBut(all.map(({ id }) => id))
    const theirs = all.filter((record) => record.ownerId === ownerId)
    const found = theirs.filter((record) => !mayBeAnothers(record))
    if (found.length < theirs.length) lookForOthers()
    const isShown = () => pageUser() === ownerId
    const engine = new UploadEngine(ownerId, found, {
      ...deps,
      onStored: (files) => {
        if (isShown()) deps.onStored(files)
        stored = newId()
        deps.onChange(engine.state())
      },
      onNotice: (toast) => {
        if (isShown()) deps.onNotice(toast)
        notice = { id: newId(), notice: toast }
        deps.onChange(engine.state())
      },
    })
    running = { ownerId, engine }
    // The last notice was about another user's uploads.
    notice = null
    deps.onChange(engine.state())
    return engine
  }

  const mayBeAnothers = ({ lastActivity }: UploadRecord): boolean => {
    const idle = timers.now() - lastActivity
    // If `idle` is negative, the clock was set back. The upload then counts as idle.
    return isAlone && idle >= 0 && idle < othersIdleMs
  }

  /**
   * Takes over the uploads of tabs that were closed. An upload counts as left over when it has been
   * idle for `othersIdleMs`.
   */
  const lookForOthers = repeat(timers, othersIdleMs, () => {
    if (!running) return false
    const { ownerId, engine } = running
    const known = new Set(engine.state().records.map(({ id }) => id))
    const others = records.load().filter((it) => it.ownerId === ownerId && !known.has(it.id))
    engine.addFound(others.filter((record) => !mayBeAnothers(record)))
    return others.some(mayBeAnothers)
  })

  return {
    obey,
    state: (ownerId) => (running?.ownerId === ownerId ? running.engine.state() : null),
    live: () => {
      if (!running) return null
      const { live, inlineError, outcome, wanted } = running.engine.state()
      return { ownerId: running.ownerId, live, inlineError, outcome, wanted, notice, stored }
    },
    resumeSignedIn: () => void running?.engine.resumeSignedIn(),
    resign: () => {
      records.discard()
      running?.engine.abandon()
      running = null
    },
  }
}

/** Makes the engine run a command. Returns a promise if the command takes time. */
function obeyedBy(engine: UploadEngine, { name, args }: UploadCommand): void | Promise<void> {
  // The compiler cannot see that `args` are the arguments of the command `name`.
  const command: (...args: never[]) => void | Promise<void> = engine[name]
  return Reflect.apply(command, engine, args)
}
