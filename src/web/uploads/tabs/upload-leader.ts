import type { UploadData } from '../engine/upload-data.ts'
import { type EngineDeps, type EngineState, UploadEngine } from '../engine/upload-engine.ts'
import type { KeptHandles } from '../picking/handle-store.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { repeat } from '../timers.ts'
import type { UploadCommand } from '../upload-commands.ts'
import type { Notice } from '../upload-notices.ts'

/** Where no tab is elected, another one may be running what was active within this time. */
const othersIdleMs = 60_000

export type ToastNotice = Notice & { kind: 'toast' }

/** A command of the user who is signed in in the tab that gives it. */
export type OwnedCommand = UploadCommand & { ownerId: string }

/** What the leader tells the others beside the records, which they read from the browser's storage. */
export interface Live extends Omit<EngineState, 'records'> {
  ownerId: string
  /** The last notice. Each has another id, so that nobody tells it twice. */
  notice: { id: string; notice: ToastNotice } | null
  /** Another one whenever the list of files has changed. */
  stored: string
}

export interface LeaderDeps extends EngineDeps {
  handles: KeptHandles
  /** True where tabs cannot elect one: then each runs its own uploads. */
  isAlone: boolean
  /** Who is signed in in this page: it is told of nobody else's uploads. */
  pageUser: () => string | null
  /** Random and short; unlike any other. */
  newId: () => string
  records: RecordStore
  data: UploadData
}

/** Runs the engine of whoever is signed in in this browser. */
export interface UploadLeader {
  /** Resolves when what came of the command would outlive this tab. */
  obey(command: OwnedCommand): Promise<void>
  /** What the engine of this user shows; null while there is none. */
  state(ownerId: string): EngineState | null
  /** What the tabs that follow are to hear; null while nobody's uploads run here. */
  live(): Live | null
  /** Somebody may be signed in again: goes on with what waits for that. */
  resumeSignedIn(): void
  /** Another tab leads: nothing runs here any more, and nothing is written. */
  resign(): void
}

/**
 * Makes the leader of the tabs. It has one engine at a time: a browser has one session, and the user who
 * gave the last command holds it.
 */
export function createLeader(deps: LeaderDeps): UploadLeader {
  const { records, timers, handles, isAlone, newId, pageUser } = deps
  let running: { ownerId: string; engine: UploadEngine } | null = null
  let notice: Live['notice'] = null
  let stored = newId()

  async function obey(command: OwnedCommand): Promise<void> {
    const { ownerId } = command
    const engine = running?.ownerId === ownerId ? running.engine : startEngine(ownerId)
    const obeyed = obeyedBy(engine, command)
    // This tab may be gone the next moment, and the one that gave the command forgets it once it is done.
    records.flush()
    await obeyed
    records.flush()
  }

  function startEngine(ownerId: string): UploadEngine {
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
    // What was told of another user's uploads is no news of these.
    notice = null
    deps.onChange(engine.state())
    return engine
  }

  function mayBeAnothers({ lastActivity }: UploadRecord): boolean {
    const idle = timers.now() - lastActivity
    // Activity in the future was before somebody set the clock back.
    return isAlone && idle >= 0 && idle < othersIdleMs
  }

  /** Takes up what another tab left behind, as soon as that is certain. */
  const lookForOthers = repeat(timers, othersIdleMs, () => {
    if (!running) return false
    const { ownerId, engine } = running
    const known = new Set(engine.state().records.map(({ id }) => id))
    const others = records.load().filter((it) => it.ownerId === ownerId && !known.has(it.id))
    engine.takeUp(others.filter((record) => !mayBeAnothers(record)))
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

/** Has the engine obey a command. Answers a promise where it goes on after that. */
function obeyedBy(engine: UploadEngine, { name, args }: UploadCommand): void | Promise<void> {
  // The compiler cannot see that these arguments are those of this command.
  const command: (...args: never[]) => void | Promise<void> = engine[name]
  return Reflect.apply(command, engine, args)
}
