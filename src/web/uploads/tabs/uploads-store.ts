import { createStore } from 'zustand/vanilla'
import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { uploadPath } from '../../../shared/rules/upload-path.ts'
import { createUploadData } from '../engine/upload-data.ts'
import { isUnderWay } from '../engine/upload-steps.ts'
import { whileWanted } from '../engine/while-wanted.ts'
import { askForHandle } from '../picking/handle-file.ts'
import { createRecordMirror, type RecordMirror } from '../records/record-mirror.ts'
import { createRecordStore, type KeyValues } from '../records/upload-records.ts'
import { repeat } from '../timers.ts'
import { isReadable } from '../transfer/transfer.ts'
import type { Candidate, ElectLeader, OpenChannel } from '../upload-ports.ts'
import type { PickedFile, UploadsState, UploadsStore } from '../uploads-state.ts'
import { createTabCommands, type TabMessage } from './tab-commands.ts'
import {
  type Command,
  createLeader,
  type LeaderEffects,
  type Live,
  type ToastNotice,
  type UploadLeader,
  type Wish,
} from './upload-leader.ts'

/** How often a tab that follows looks for bytes that nobody needs any more. */
const sweepEveryMs = 60_000

/** How the page shows what uploads lead to. */
export interface UploadsPage {
  /** The list of files is to be refreshed (spec §7); `files` are new in it, as far as they are known. */
  onStored: (files: readonly StoredFile[]) => void
  onNotice: (notice: ToastNotice) => void
}

/** What uploads need of the browser. */
export interface UploadsEnv
  extends Omit<LeaderEffects, 'records' | 'data' | 'onChange' | 'pageUser' | keyof UploadsPage> {
  /** May throw where the browser forbids it. */
  storage: () => KeyValues
  /** Calls with key and new value whenever another tab writes to the storage. */
  onStorage: (listener: (key: string | null, value: string | null) => void) => void
  onVisible: (listener: () => void) => void
  /** The page is hidden or left, and may never run again. */
  onHidden: (listener: () => void) => void
  openChannel: OpenChannel<TabMessage<Command, Live>>
  electLeader: ElectLeader
  userAgent: string
}

/** The uploads of this browser, in one of its tabs. */
export interface Uploads {
  store: UploadsStore
  /** Who is signed in, as soon as that is known and whenever it changes; null for nobody. */
  setUser: (id: string | null) => void
}

const nothing = { records: [], live: {}, inlineError: null, outcome: null }

/** Ids that sort by the time at which they were given, and within it by their number. */
const createSortedIds = (now: () => number, newId: () => string) => {
  const text = (value: number, digits: number) => value.toString(36).padStart(digits, '0')
  let given = 0
  return () => {
    given += 1
    return `${text(now(), 9)}-${text(given, 5)}-${newId()}`
  }
}

/** Takes part in the uploads of this browser: leads them, or follows the tab that does. */
export const createUploads = (env: UploadsEnv, page: UploadsPage): Uploads => {
  const { timers, handles, newId } = env
  const keepAwake = whileWanted(env.keepAwake)
  const records = createRecordStore(env.storage, timers)
  const data = createUploadData(handles, (file) => env.sample(file, new AbortController().signal))
  const nextId = createSortedIds(timers.now, newId)
  let user: string | null = null
  /** While this tab leads. */
  let leader: UploadLeader | null = null
  /** While another one does. */
  let mirror: RecordMirror | null = null
  /** What the leader told last. */
  let heard: Live | null = null
  /** What this tab has given the leader of what that wanted. */
  const supplied = new Set<string>()

  const followed = (ownerId: string) => {
    const mine = mirror?.records().filter((record) => record.ownerId === ownerId) ?? []
    const { live, inlineError, outcome } = heard?.ownerId === ownerId ? heard : nothing
    return { records: mine, live, inlineError, outcome }
  }
  const show = () => {
    if (user === null) return store.setState(nothing)
    if (!leader) return store.setState(followed(user))
    const { records, live, inlineError, outcome } = leader.state(user) ?? nothing
    store.setState({ records, live, inlineError, outcome })
  }
  const tellOthers = () => {
    const live = leader?.live()
    if (live) commands.tell(live)
  }

  /** Gives the leader bytes that a tab which is gone had, and this one has too. */
  const supply = ({ ownerId, wanted }: Live) => {
    for (const id of supplied) if (!wanted.includes(id)) supplied.delete(id)
    for (const id of wanted) {
      const picked = data.picked(id)
      if (!picked || supplied.has(id)) continue
      supplied.add(id)
      commands.send({ ownerId, wish: { type: 'supply', id, picked } })
    }
  }

  const commands = createTabCommands<Command, Live>({
    open: env.openChannel,
    newId,
    run: (command) => leader?.obey(command),
    onDeaf: () => candidate.takeOver(),
    onHello: () => {
      leader?.look()
      tellOthers()
    },
    onLive: (live) => {
      if (leader) return
      const before = heard
      heard = live
      if (live.ownerId !== user) return
      supply(live)
      if (before && live.stored !== before.stored) page.onStored([])
      if (before && live.notice && live.notice.id !== before.notice?.id) {
        page.onNotice(live.notice.notice)
      }
      show()
    },
  })
  const wish = (wish: Wish) => {
    if (user !== null) commands.send({ ownerId: user, wish })
  }

  /** In the tab of the click: only there does the browser ask for a permission. */
  const resume = async (id: string) => {
    const held = leader ? undefined : data.picked(id)
    const isDead = held && held.file.size > 0 && !(await isReadable(held.file, 0))
    if (isDead) data.drop(id)
    else if (held) return wish({ type: 'provide', id, picked: held })
    const handle = data.file(id) ? undefined : await handles.get(id)
    const found = handle ? await askForHandle(handle) : null
    if (found?.state === 'found') {
      wish({ type: 'provide', id, picked: { file: found.file, handle } })
    } else if (found?.state !== 'permission') wish({ type: 'resume', id })
  }

  const add: UploadsState['add'] = (picked, expirationDays) => {
    if (user === null || picked.length === 0) return
    const files = picked.map((one: PickedFile) => ({ id: nextId(), picked: one }))
    if (!leader) {
      for (const { id, picked: one } of files) data.hold(id, one)
      sweep()
    }
    const path = uploadPath(
      picked.map(({ file }) => file),
      env.userAgent,
    )
    wish({ type: 'add', added: { batch: newId(), path, expirationDays, files } })
  }

  const store: UploadsStore = createStore<UploadsState>()(() => ({
    ...nothing,
    add,
    cancel: (id) => wish({ type: 'cancel', id }),
    cancelForeground: () => wish({ type: 'cancel-foreground' }),
    resume: (id) => void resume(id),
    provideFile: (id, picked) => wish({ type: 'provide', id, picked }),
    clear: () => wish({ type: 'clear' }),
    dismissInlineError: () => wish({ type: 'dismiss-inline-error' }),
  }))

  const lead = () => {
    mirror = null
    keepAwake(false)
    leader = createLeader({
      ...env,
      ...page,
      records,
      data,
      pageUser: () => user,
      onChange: () => {
        show()
        tellOthers()
      },
    })
    if (user !== null) void leader.obey({ ownerId: user, wish: { type: 'be-here' } })
    commands.lead()
    show()
  }

  /**
   * Held without a record at the last look. Gone only at the next: the leader may not have written the
   * record of a file that was just added.
   */
  let recordless: ReadonlySet<string> = new Set()
  const sweep = repeat(timers, sweepEveryMs, () => {
    if (!mirror) return false
    const known = new Set(mirror.records().map(({ id }) => id))
    const gone = data.ids().filter((id) => !known.has(id))
    for (const id of gone) if (recordless.has(id)) data.drop(id)
    recordless = new Set(gone)
    return data.ids().length > 0
  })

  const follow = () => {
    leader?.resign()
    leader = null
    commands.follow()
    const isDone = new Set<string>()
    const changed = () => {
      const all = mirror?.records() ?? []
      for (const { id, status } of all) {
        if (status !== 'completed' || isDone.has(id)) continue
        isDone.add(id)
        data.drop(id)
      }
      // It may be on this page that somebody watches them.
      keepAwake(all.some(isUnderWay))
      show()
    }
    mirror = createRecordMirror(records.load, timers, changed)
    changed()
    sweep()
    commands.hello()
  }

  env.onStorage((key, value) => {
    if (mirror) mirror.hear(key, value)
    // Without an election every tab writes its own.
    else if (!env.isAlone) records.insist(key)
  })
  env.onHidden(records.flush)
  env.onVisible(() => commands.hello())
  const candidate: Candidate = env.electLeader(lead, follow)

  return {
    store,
    setUser: (id) => {
      if (id === user) return
      user = id
      wish({ type: 'be-here' })
      show()
    },
  }
}
