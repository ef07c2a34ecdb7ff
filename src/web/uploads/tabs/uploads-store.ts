/**
 * The uploads of one tab. One tab of the browser *leads*: it runs the engine. The others *follow*:
 * they show the upload records that the leader writes to localStorage (their *mirror*), and send
 * the leader the commands of their page. They keep the files that were added to them, so that any
 * of them can lead next.
 */
import { createStore } from 'zustand/vanilla'
import { uploadPath } from '../../../shared/rules/files/upload-path.ts'
import { createUploadData } from '../engine/upload-data.ts'
import { whileWanted } from '../engine/while-wanted.ts'
import { askForHandle } from '../picking/handle-file.ts'
import { createRecordStore, type KeyValues } from '../records/upload-records.ts'
import { isReadable } from '../transfer/hash-blob.ts'
import type { PageCommands, UploadCommands } from '../upload-commands.ts'
import type { ElectLeader, OpenChannel } from '../upload-ports.ts'
import type { UploadsPage, UploadsState, UploadsStore } from '../uploads-state.ts'
import { createTabCommands, type TabMessage } from './tab-commands.ts'
import { createFollower, noUploads } from './upload-follower.ts'
import {
  createLeader,
  type LeaderDeps,
  type Live,
  type OwnedCommand,
  type UploadLeader,
} from './upload-leader.ts'

/** What uploads need from the browser. */
export interface UploadsEnv
  extends Omit<LeaderDeps, 'records' | 'data' | 'onChange' | 'pageUser' | keyof UploadsPage> {
  /** Returns localStorage. Throws where the browser forbids it. */
  storage: () => KeyValues
  /** Calls the listener with key and new value whenever another tab writes to localStorage. */
  onStorage: (listener: (key: string | null, value: string | null) => void) => void
  onVisible: (listener: () => void) => void
  /**
   * Calls the listener when the page is hidden or left. The page may never run again after that.
   */
  onHidden: (listener: () => void) => void
  openChannel: OpenChannel<TabMessage<OwnedCommand, Live>>
  electLeader: ElectLeader
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
  followTier: PageCommands['followTier']
}

/**
 * Connects this tab to the uploads of this browser. The tab runs them as the leader, or follows the
 * leading tab.
 */
export function createUploads(env: UploadsEnv, page: UploadsPage): Uploads {
  const { timers, handles, newId } = env
  const records = createRecordStore(env.storage, timers)
  const data = createUploadData(handles, (file) => env.sample(file, new AbortController().signal))
  const nextId = createSortedIds(timers.now, newId)
  let user: string | null = null
  /** Runs the uploads of all tabs. Null unless this tab leads. */
  let leader: UploadLeader | null = null

  const add = (...[picked, expirationDays]: Parameters<UploadsState['add']>): void => {
    if (user === null || picked.length === 0) return
    const files = picked.map((one) => ({ id: nextId(), picked: one }))
    if (!leader) {
      for (const { id, picked: one } of files) data.keepInMemory(id, one)
      follower.keepFiles()
    }
    const path = uploadPath(
      picked.map(({ file }) => file),
      env.userAgent,
    )
    give('add', { batch: newId(), path, expirationDays, files })
  }

  /**
   * Resumes an upload. This runs in the tab that was clicked, because the browser asks for
   * permission only there.
   */
  const resume = async (id: string): Promise<void> => {
    const picked = leader ? undefined : data.picked(id)
    const isDead = picked && picked.file.size > 0 && !(await isReadable(picked.file, 0))
    if (isDead) data.drop(id)
    else if (picked) return give('provideFile', id, picked)
    const handle = data.file(id) ? undefined : await handles.get(id)
    const found = handle ? await askForHandle(handle) : null
    if (found?.state === 'found') give('provideFile', id, { file: found.file, handle })
    else if (found?.state !== 'permission') give('resume', id)
  }

  const giving =
    <Name extends keyof UploadCommands>(name: Name) =>
    (...args: Parameters<UploadCommands[Name]>) =>
      give(name, ...args)

  /** Gives a command to the leading tab, which may be this one. */
  const give = <Name extends keyof UploadCommands>(
    name: Name,
    ...args: Parameters<UploadCommands[Name]>
  ): void => {
    // The compiler cannot see that `args` are the arguments of the command `name`.
    if (user !== null) commands.send({ ownerId: user, name, args } as OwnedCommand)
  }

  const store: UploadsStore = createStore<UploadsState>()(() => ({
    ...noUploads,
    add,
    resume: (id) => void resume(id),
    cancel: giving('cancel'),
    cancelForeground: giving('cancelForeground'),
    provideFile: giving('provideFile'),
    clear: giving('clear'),
    dismissInlineError: giving('dismissInlineError'),
  }))

  const show = () => {
    if (user === null) return store.setState(noUploads)
    if (!leader) return store.setState(follower.shown(user))
    const { records, live, inlineError, outcome } = leader.state(user) ?? noUploads
    store.setState({ records, live, inlineError, outcome })
  }

  const tellOthers = (): void => {
    const live = leader?.live()
    if (live) commands.tell(live)
  }

  const commands = createTabCommands<OwnedCommand, Live>({
    open: env.openChannel,
    timers,
    newId,
    onNoAnswer: () => election.takeOver(),
    onHello: () => {
      leader?.resumeSignedIn()
      tellOthers()
    },
    onLive: (live) => {
      if (!leader) follower.hear(live)
    },
  })

  const follower = createFollower({
    timers,
    records,
    data,
    page,
    user: () => user,
    keepAwake: whileWanted(env.keepAwake),
    send: commands.send,
    onChange: show,
  })

  const lead = (): void => {
    follower.end()
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
    if (user !== null) void leader.obey({ ownerId: user, name: 'resumeSignedIn', args: [] })
    commands.lead(leader.obey)
    show()
  }

  const follow = (): void => {
    leader?.resign()
    leader = null
    commands.follow()
    follower.begin()
    commands.hello()
  }

  env.onStorage((key, value) => {
    // The leader writes its record again if a former leader has overwritten it. Where tabs cannot
    // elect a leader, this is not needed: each tab writes only its own records.
    if (!follower.hearStorage(key, value) && !env.isAlone) records.writeAgain(key)
  })
  env.onHidden(records.flush)
  env.onVisible(commands.hello)
  const election = env.electLeader(lead, follow)

  return {
    store,
    setUser: (id) => {
      if (id === user) return
      user = id
      give('resumeSignedIn')
      show()
    },
    followTier: giving('followTier'),
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
