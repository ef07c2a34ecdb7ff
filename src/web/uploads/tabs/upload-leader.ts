import type { UploadData } from '../engine/upload-data.ts'
import { createEngine } from '../engine/upload-engine.ts'
import type { EngineEffects, EngineState, UploadEngine } from '../engine/upload-engine-ports.ts'
import type { AddedFiles } from '../engine/upload-plan.ts'
import type { KeptHandles } from '../picking/handle-store.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import { repeat } from '../timers.ts'
import type { Notice } from '../upload-notices.ts'
import type { PickedFile } from '../uploads-state.ts'

/** Without an election another tab may be running what was active within this time. */
const othersIdleMs = 60_000

export type ToastNotice = Notice & { kind: 'toast' }

/** What a tab wants of the one that leads. */
export type Wish =
  /** A tab was opened by this user, who may have signed in again. */
  | { type: 'be-here' }
  | { type: 'add'; added: AddedFiles }
  | { type: 'cancel' | 'resume'; id: string }
  | { type: 'provide' | 'supply'; id: string; picked: PickedFile }
  | { type: 'cancel-foreground' | 'clear' | 'dismiss-inline-error' }

/** A wish of the user who is signed in in that tab. */
export interface Command {
  ownerId: string
  wish: Wish
}

/** What the leader tells the others beside the records, which they read from the browser's storage. */
export interface Live extends Omit<EngineState, 'records'> {
  ownerId: string
  /** The last one; told anew by another id. */
  notice: { id: string; notice: ToastNotice } | null
  /** Another one whenever the list of files has changed. */
  stored: string
}

export interface LeaderEffects extends EngineEffects {
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
  /** Resolves when what came of it would outlive this tab. */
  obey(command: Command): Promise<void>
  /** What the engine of this user shows; null while there is none. */
  state(ownerId: string): EngineState | null
  /** What the tabs that follow are to hear; null while nobody's uploads run here. */
  live(): Live | null
  /** Somebody may be signed in again: goes on with what waits for that. */
  look(): void
  /** Another tab leads: nothing runs here any more, and nothing is written. */
  resign(): void
}

/** Answers a promise only where granting goes on: until then, what was wished could be lost. */
const grant = (engine: UploadEngine, wish: Wish): void | Promise<void> => {
  switch (wish.type) {
    case 'be-here':
      void engine.resumeSignedIn()
      break
    case 'add':
      return engine.add(wish.added)
    case 'cancel':
      engine.cancel(wish.id)
      break
    case 'resume':
      engine.resume(wish.id)
      break
    case 'provide':
      void engine.provideFile(wish.id, wish.picked)
      break
    case 'supply':
      engine.supply(wish.id, wish.picked)
      break
    case 'cancel-foreground':
      engine.cancelForeground()
      break
    case 'clear':
      engine.clear()
      break
    case 'dismiss-inline-error':
      engine.dismissInlineError()
  }
}

/**
 * Makes the leader of the tabs. It has one engine at a time: one session is all that a browser has, and
 * whoever commands last holds it.
 */
export const createLeader = (effects: LeaderEffects): UploadLeader => {
  const { records, timers, handles, isAlone, newId, pageUser } = effects
  let running: { ownerId: string; engine: UploadEngine } | null = null
  let notice: Live['notice'] = null
  let stored = newId()

  const mayBeAnothers = ({ lastActivity }: UploadRecord) => {
    const idle = timers.now() - lastActivity
    // Activity in the future was before the clock was set back.
    return isAlone && idle >= 0 && idle < othersIdleMs
  }
  /** Takes up what another tab left behind, as soon as that is certain. */
  const lookAgain = repeat(timers, othersIdleMs, () => {
    if (!running) return false
    const { ownerId, engine } = running
    const known = new Set(engine.state().records.map(({ id }) => id))
    const others = records.load().filter((it) => it.ownerId === ownerId && !known.has(it.id))
    engine.takeUp(others.filter((record) => !mayBeAnothers(record)))
    return others.some(mayBeAnothers)
  })

  const start = (ownerId: string): UploadEngine => {
    running?.engine.close()
    const all = records.load()
    void handles.removeAllBut(all.map(({ id }) => id))
    const theirs = all.filter((record) => record.ownerId === ownerId)
    const found = theirs.filter((record) => !mayBeAnothers(record))
    if (found.length < theirs.length) lookAgain()
    const isShown = () => pageUser() === ownerId
    const engine = createEngine(ownerId, found, {
      ...effects,
      onStored: (files) => {
        if (isShown()) effects.onStored(files)
        stored = newId()
        effects.onChange(engine.state())
      },
      onNotice: (toast) => {
        if (isShown()) effects.onNotice(toast)
        notice = { id: newId(), notice: toast }
        effects.onChange(engine.state())
      },
    })
    running = { ownerId, engine }
    // What was told of the last one's uploads is no news of these.
    notice = null
    effects.onChange(engine.state())
    return engine
  }

  return {
    obey: async ({ ownerId, wish }) => {
      const granted = grant(running?.ownerId === ownerId ? running.engine : start(ownerId), wish)
      // The tab that wished forgets it then; this one may be gone the next moment.
      records.flush()
      if (!granted) return
      await granted
      records.flush()
    },
    state: (ownerId) => (running?.ownerId === ownerId ? running.engine.state() : null),
    live: () => {
      if (!running) return null
      const { live, inlineError, outcome, wanted } = running.engine.state()
      return { ownerId: running.ownerId, live, inlineError, outcome, wanted, notice, stored }
    },
    look: () => void running?.engine.resumeSignedIn(),
    resign: () => {
      records.discard()
      running?.engine.abandon()
      running = null
    },
  }
}
