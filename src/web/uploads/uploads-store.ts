import { createStore } from 'zustand/vanilla'
import { uploadPath } from '../../shared/rules/files/upload-path.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { type EngineDeps, UploadEngine } from './engine/upload-engine.ts'
import { createRecordStore, type KeyValues } from './records/upload-records.ts'
import type { ShownUploads, UploadsPage, UploadsState, UploadsStore } from './uploads-state.ts'

/** Tells the other tabs of this browser that the uploads have changed. */
export type OpenChannel = (onChanged: () => void) => () => void

/** What uploads need from the browser. */
export interface UploadsEnv extends Omit<EngineDeps, 'records' | 'onChange' | keyof UploadsPage> {
  /** Returns localStorage. Throws where the browser forbids it. */
  storage: () => KeyValues
  openChannel: OpenChannel
  onVisible: (listener: () => void) => void
  /**
   * Calls the listener when the page is hidden or left. The page may never run again after that.
   */
  onHidden: (listener: () => void) => void
  /** Calls the listener when the back button brings a page back that the browser had frozen. */
  onRestored: (listener: () => void) => void
  /** Loads the page again. */
  reload: () => void
  /** Returns a short random id. */
  newId: () => string
  userAgent: string
}

/** The uploads of this browser, as one of its tabs sees them. */
export interface Uploads {
  store: UploadsStore
  /**
   * Sets the signed-in user; null when signed out. Call it when the user becomes known and whenever
   * the user changes.
   */
  setUser: (id: string | null) => void
  /** Call it when the tier of the signed-in user has changed. */
  followTier: (before: Tier, after: Tier) => void
  /**
   * Removes the user's upload records, file handles and presigned URLs from the browser. Resolves
   * when the browser has removed them.
   */
  signOut: () => Promise<void>
}

const noUploads: ShownUploads = {
  records: [],
  elsewhere: new Set(),
  live: {},
  inlineError: null,
  outcome: null,
}

/** Creates the upload state of this tab. */
export function createUploads(env: UploadsEnv, page: UploadsPage): Uploads {
  const { timers, newId } = env
  const nextId = createSortedIds(timers.now, newId)
  let running: { ownerId: string; engine: UploadEngine } | null = null
  let user: string | null = null
  let shown = noUploads

  const engine = () => (running?.ownerId === user ? running?.engine : undefined)
  const tellOthers = env.openChannel(() => engine()?.readAgain())
  const records = createRecordStore(env.storage, timers, tellOthers)

  const startEngine = (ownerId: string) => {
    running?.engine.close()
    shown = noUploads
    const onChange = (next: ShownUploads) => {
      shown = next
      show()
    }
    running = { ownerId, engine: new UploadEngine(ownerId, { ...env, ...page, records, onChange }) }
  }

  const show = () => store.setState(user === null ? noUploads : shown)

  const store: UploadsStore = createStore<UploadsState>()(() => ({
    ...noUploads,
    add: (picked, expirationDays) => {
      if (picked.length === 0) return
      const sizes = picked.map(({ file }) => file)
      const path = uploadPath(sizes, env.userAgent)
      const files = picked.map((one) => ({ id: nextId(), picked: one }))
      void engine()?.add({ batch: newId(), path, expirationDays, files })
    },
    cancel: (id) => void engine()?.cancel(id),
    cancelForeground: () => engine()?.cancelForeground(),
    resume: (id) => void engine()?.resume(id),
    provideFile: (id, picked) => void engine()?.provideFile(id, picked),
    clear: () => engine()?.clear(),
    dismissInlineError: () => engine()?.dismissInlineError(),
  }))

  env.onHidden(records.flush)
  env.onVisible(() => engine()?.readAgain())
  // The browser has given the locks of the frozen page to other tabs.
  env.onRestored(() => {
    if (engine()?.isRunning) env.reload()
  })

  return {
    store,
    setUser: (id) => {
      if (id === user) return
      user = id
      if (id !== null && running?.ownerId !== id) startEngine(id)
      show()
      // Uploads of other tabs may have waited for this sign-in.
      tellOthers()
    },
    followTier: (before, after) => void engine()?.followTier(before, after),
    signOut: async () => {
      const ended = engine()
      running = null
      shown = noUploads
      show()
      await ended?.signOut()
    },
  }
}

/** Makes a function that returns ids. Sorting them gives the order of their creation. */
function createSortedIds(now: () => number, newId: () => string): () => string {
  const text = (value: number, digits: number) => value.toString(36).padStart(digits, '0')
  let given = 0
  return () => {
    given += 1
    return `${text(now(), 9)}-${text(given, 5)}-${newId()}`
  }
}
