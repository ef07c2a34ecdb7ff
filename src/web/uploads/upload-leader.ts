import type { KeptHandles } from './handle-store.ts'
import type { UploadData } from './upload-data.ts'
import {
  createEngine,
  type EngineEffects,
  type EngineState,
  type UploadEngine,
} from './upload-engine.ts'
import type { Notice } from './upload-failure.ts'
import type { AddedFiles } from './upload-plan.ts'
import type { RecordStore } from './upload-records.ts'
import type { PickedFile } from './uploads-state.ts'

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
  /** Random and short; unlike any other. */
  newId: () => string
  records: RecordStore
  data: UploadData
}

/** Runs the engine of whoever is signed in in this browser. */
export interface UploadLeader {
  obey(command: Command): void
  /** What the engine of this user shows; null while there is none. */
  state(ownerId: string): EngineState | null
  live(): Live | null
  /** Somebody may be signed in again. */
  look(): void
}

const grant = (engine: UploadEngine, wish: Wish): void => {
  switch (wish.type) {
    case 'be-here':
      void engine.resumeSignedIn()
      break
    case 'add':
      engine.add(wish.added)
      break
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
  const { records, timers, handles, isAlone, newId } = effects
  let running: { ownerId: string; engine: UploadEngine } | null = null
  let notice: Live['notice'] = null
  let stored = newId()

  const start = (ownerId: string): UploadEngine => {
    running?.engine.close()
    const all = records.load()
    void handles.removeAllBut(all.map(({ id }) => id))
    const mayBeAnothers = (lastActivity: number) =>
      isAlone && timers.now() - lastActivity < othersIdleMs
    const found = all.filter(
      (record) => record.ownerId === ownerId && !mayBeAnothers(record.lastActivity),
    )
    const engine = createEngine(ownerId, found, {
      ...effects,
      onStored: (files) => {
        effects.onStored(files)
        stored = newId()
        effects.onChange(engine.state())
      },
      onNotice: (toast) => {
        effects.onNotice(toast)
        notice = { id: newId(), notice: toast }
        effects.onChange(engine.state())
      },
    })
    running = { ownerId, engine }
    effects.onChange(engine.state())
    return engine
  }

  return {
    obey: ({ ownerId, wish }) => {
      grant(running?.ownerId === ownerId ? running.engine : start(ownerId), wish)
      // The tab that wished forgets it now; this one may be gone the next moment.
      records.flush()
    },
    state: (ownerId) => (running?.ownerId === ownerId ? running.engine.state() : null),
    live: () => {
      if (!running) return null
      const { live, inlineError, outcome, wanted } = running.engine.state()
      return { ownerId: running.ownerId, live, inlineError, outcome, wanted, notice, stored }
    },
    look: () => void running?.engine.resumeSignedIn(),
  }
}
