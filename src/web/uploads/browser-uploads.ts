import { createStore } from 'zustand/vanilla'
import { uploadPath } from '../../shared/rules/files/upload-path.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import type { UploadEngine } from './engine/upload-engine.ts'
import { hasRecords } from './records/record-key.ts'
import type { StartLink } from './transfer/upload-calls.ts'
import type { PageCallbacks, ShownUploads, UploadsState, UploadsStore } from './uploads-state.ts'

/** Doesn't use `crypto.randomUUID`, which requires a secure context. */
function createRandomId(): string {
  return crypto.getRandomValues(new BigUint64Array(1)).join()
}

/** Returns a generator of unique IDs that sort by creation time. */
function createIdGenerator(): () => string {
  const encode = (value: number, digits: number) => value.toString(36).padStart(digits, '0')
  let sequence = 0
  return () => {
    sequence += 1
    return `${encode(Date.now(), 9)}-${encode(sequence, 5)}-${createRandomId()}`
  }
}

/**
 * Calls `onChange` when another tab reports a change. Returns a function that reports a change to
 * the other tabs.
 */
function openChannel(onChange: () => void): () => void {
  const channel = new BroadcastChannel('mayfly-uploads')
  channel.addEventListener('message', onChange)
  return () => channel.postMessage(null)
}

/** This browser's uploads, as shown in one tab. */
export interface Uploads {
  store: UploadsStore
  /**
   * Sets whose uploads are shown and run: the signed-in user's, or those of a request's page. Null
   * if nobody is signed in. Call on load and whenever the user changes.
   */
  setOwner: (id: string | null) => void
  /** Call when the signed-in user's tier changes. */
  handleTierChange: (oldTier: Tier, newTier: Tier) => void
  /**
   * Removes the user's upload records, file handles and presigned URLs from the browser. Resolves
   * when done.
   */
  signOut: () => Promise<void>
}

const noUploads: ShownUploads = {
  records: [],
  otherTabIds: new Set(),
  activity: {},
  inlineError: null,
  outcome: null,
}

/** The engine of one owner's uploads. It is loaded when there is something to upload. */
interface Run {
  ownerId: string
  loading: Promise<UploadEngine>
  /** Null while it is loading. */
  engine: UploadEngine | null
}

/**
 * Creates this tab's upload state. Call once per page load.
 * @param startLink starts files that share a link. By default, a link of the signed-in user.
 */
export function createBrowserUploads(callbacks: PageCallbacks, startLink?: StartLink): Uploads {
  const nextId = createIdGenerator()
  let run: Run | null = null
  let owner: string | null = null

  const getEngine = () => (run?.ownerId === owner ? run?.engine : null)
  const update = () => store.setState(getEngine()?.shownUploads() ?? noUploads)

  const start = (ownerId: string): Run => {
    const load = async () => {
      const { createBrowserEngine } = await import('./engine/browser-engine.ts')
      const options = { ...callbacks, startLink, onChange: update, onWrite: notifyOtherTabs }
      newRun.engine = createBrowserEngine(ownerId, options)
      return newRun.engine
    }
    const newRun: Run = { ownerId, engine: null, loading: load() }
    newRun.loading.catch(() => {
      // Another attempt loads it again.
      if (run === newRun) run = null
      callbacks.onNotice({
        kind: 'toast',
        title: 'Upload Failed',
        description: 'Check your connection, reload the page and try again.',
        tone: 'destructive',
      })
    })
    return newRun
  }
  const end = (oldRun: Run | null) => void oldRun?.loading.then((engine) => engine.close())
  /** Calls `use` with the owner's engine once it is loaded. */
  const withEngine = (use: (engine: UploadEngine) => unknown) => {
    if (owner === null) return
    if (run?.ownerId !== owner) {
      end(run)
      run = start(owner)
    }
    run.loading.then(use, () => undefined)
  }
  const reloadRecords = () => {
    if (run?.ownerId === owner || hasRecords()) withEngine((engine) => engine.reloadSoon())
  }
  const notifyOtherTabs = openChannel(reloadRecords)

  const store: UploadsStore = createStore<UploadsState>()(() => ({
    ...noUploads,
    add: (picked, expirationDays, link) => {
      if (picked.length === 0) return
      const pickedFiles = picked.map(({ file }) => file)
      // Files are added to a link from any list, where only the panel shows them.
      const isAdded = link?.shortCode !== undefined
      const path = isAdded ? 'background' : uploadPath(pickedFiles, navigator.userAgent)
      const files = picked.map((file) => ({ id: nextId(), picked: file }))
      const batch = createRandomId()
      withEngine((engine) => engine.add({ batch, path, expirationDays, link, files }))
    },
    cancel: (id) => void getEngine()?.cancel(id),
    cancelForeground: () => getEngine()?.cancelForeground(),
    resume: (id) => void getEngine()?.resume(id),
    provideFile: (id, picked) => void getEngine()?.provideFile(id, picked),
    clear: () => getEngine()?.clear(),
    dismissInlineError: () => getEngine()?.dismissInlineError(),
  }))

  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') reloadRecords()
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    // The browser released this page's locks while it was frozen, so other tabs may have taken
    // them.
    if (persisted && getEngine()?.isRunning) location.reload()
  })

  return {
    store,
    setOwner: (id) => {
      if (id === owner) return
      owner = id
      if (id !== null && run?.ownerId !== id) {
        end(run)
        run = hasRecords() ? start(id) : null
        run?.loading.then(update, () => undefined)
      }
      update()
      // Other tabs may have uploads waiting for this sign-in.
      notifyOtherTabs()
    },
    handleTierChange: (before, after) => void getEngine()?.handleTierChange(before, after),
    signOut: async () => {
      const oldRun = run?.ownerId === owner ? run : null
      run = null
      update()
      const engine = await oldRun?.loading.catch(() => undefined)
      await engine?.signOut()
    },
  }
}
