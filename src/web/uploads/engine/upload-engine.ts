/**
 * The engine runs the uploads of a browser, in one of its tabs. The words of this folder:
 * - A *record* is what the browser saves about one upload.
 * - Uploads wait in the *queue*. The *run* of an upload is its work after that, in *steps*: its
 *   calls and its transfer. Its *turn* is the time of the run.
 * - An *event* is what happens to an upload. The *machine* answers it with a new record, with
 *   *effects*, which the performer carries out immediately, and with the next step, which the run
 *   does.
 * - A *drop* is all files that were added together. Each of their records has the drop's id in the
 *   field `batch`. A *batch* is what is counted together: a drop, or all uploads of the foreground
 *   path.
 * - A *slot* is one of the files that a user may have. An upload gets its slot together with its
 *   *ticket*, the server's answer to the start.
 *
 * The way of an upload through these files is drawn in docs/uploads.md.
 */
import { type Tier, tierTraits } from '../../../shared/rules/tiers/tier.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import { isOver, type UploadRecord } from '../records/upload-record.ts'
import { coalesce, repeat } from '../timers.ts'
import type { UploadCommands } from '../upload-commands.ts'
import { failedForTier, isCancelled } from '../upload-errors.ts'
import { otherFileNotice } from '../upload-notices.ts'
import type { UploadsState } from '../uploads-state.ts'
import { type BatchProgress, createBatchProgress } from './batch-progress.ts'
import { type EffectDeps, EffectPerformer } from './perform-effects.ts'
import { createResumer, type UploadResumer } from './resume-uploads.ts'
import type { RunStep, UploadEvent } from './upload-events.ts'
import { advance, canResume, isUnderWay } from './upload-machine.ts'
import { type AddedFiles, matchPicked, newRecord } from './upload-plan.ts'
import { whileWanted } from './while-wanted.ts'

/** Changes within this time are shown together, so that the page is not drawn for each of them. */
const shownEveryMs = 50
/** Spec §9: cleanup every 60 s. */
const cleanUpEveryMs = 60_000

export interface EngineDeps extends EffectDeps {
  onChange: (state: EngineState) => void
  /** Makes the browser ask before a person leaves the page. Returns a function that stops this. */
  holdPage: () => () => void
  /** Keeps the device awake. Returns a function that stops this. */
  keepAwake: () => () => void
}

/** The state that all tabs show. */
export interface EngineState
  extends Pick<UploadsState, 'records' | 'live' | 'inlineError' | 'outcome'> {
  /**
   * The ids of the paused uploads whose files the engine does not have. Another tab that has such a
   * file in memory gives it to the engine.
   */
  wanted: readonly string[]
}

/**
 * Runs the uploads of one user in this browser and keeps their records. It carries out the commands
 * of pages and handles the events of running uploads. Every event goes through `#dispatch`.
 */
export class UploadEngine implements UploadCommands {
  readonly #ownerId: string
  readonly #deps: EngineDeps
  readonly #records = new Map<string, UploadRecord>()
  /** The ids of the paused uploads, except those that wait for a sign-in. */
  readonly #paused = new Set<string>()
  /** The ids of the completed and failed uploads. The cleanup removes them when they are old. */
  readonly #over = new Set<string>()
  /** The ids of the paused uploads whose bytes are lost when this page is left. */
  readonly #unsaved = new Set<string>()
  readonly #batches: BatchProgress
  readonly #performer: EffectPerformer
  readonly #resumer: UploadResumer
  readonly #changed: () => void
  readonly #wakeCleanUp: () => void
  readonly #holdPage: (isWanted: boolean) => void
  readonly #keepAwake: (isWanted: boolean) => void
  /** The tier after the last change that a tab reported; null before the first change. */
  #tier: Tier | null = null
  #isClosed = false

  /**
   * Restores the uploads of an earlier page. It also repeats that page's requests to abort an
   * upload, where the server gave no answer.
   * @param found the records of this user in localStorage.
   */
  constructor(ownerId: string, found: readonly UploadRecord[], deps: EngineDeps) {
    const { timers } = deps
    this.#ownerId = ownerId
    this.#deps = deps
    this.#holdPage = whileWanted(deps.holdPage)
    this.#keepAwake = whileWanted(deps.keepAwake)
    this.#changed = coalesce(timers, shownEveryMs, () => this.#show())
    this.#wakeCleanUp = repeat(timers, cleanUpEveryMs, () => this.#cleanUp())
    this.#batches = createBatchProgress(
      timers,
      (notice) => this.#performer.tell(notice),
      this.#changed,
    )
    this.#performer = new EffectPerformer(ownerId, deps, {
      record: (id) => this.#records.get(id),
      dropSize: (record) => this.#batches.dropSize(record),
      dispatch: (id, event) => this.#dispatch(id, event),
      changed: this.#changed,
    })
    this.#resumer = createResumer({
      ...deps,
      record: (id) => (this.#isClosed ? undefined : this.#records.get(id)),
      paused: this.#paused,
      dispatch: (id, event) => this.#dispatch(id, event),
    })
    this.#restore(found)
    this.#performer.resumeAborts()
  }

  async add(added: AddedFiles): Promise<void> {
    const paused = [...this.#paused].map((id) => this.#records.get(id))
    const matches = matchPicked(
      added.files,
      paused.filter((record) => record !== undefined),
    )
    const unmatched = added.files.filter(({ id }) => !matches.has(id))
    if (unmatched.length > 0) this.#begin({ ...added, files: unmatched })
    const others: AddedFiles['files'][number][] = []
    for (const one of added.files) {
      const ids = matches.get(one.id)
      if (ids && !(await this.#resumer.provideToAny(ids, one.picked))) others.push(one)
    }
    if (others.length > 0) this.#begin({ ...added, files: others })
  }

  cancel(id: string): void {
    this.#dispatch(id, { type: 'cancel' })
  }

  cancelForeground(): void {
    this.#batches.cancelForeground()
    const isMeant = (id: string) => {
      const record = this.#records.get(id)
      return record?.path === 'foreground' && isUnderWay(record)
    }
    // Waiting uploads are cancelled first, so that none of them starts when a running one ends.
    this.#dispatchAll(this.#performer.underWay().filter(isMeant), { type: 'cancel' })
  }

  resume(id: string): void {
    void this.#resumer.resume(id)
  }

  async resumeSignedIn(): Promise<void> {
    this.#performer.resumeAborts()
    if (![...this.#records.values()].some(({ need }) => need === 'sign-in')) return
    const user = await this.#deps.calls.currentUser()
    if (!user.ok || user.value !== this.#ownerId) return
    this.#performer.signedIn()
    for (const { id, need } of this.#records.values()) if (need === 'sign-in') this.resume(id)
  }

  async followTier(before: Tier, after: Tier): Promise<void> {
    // Every tab reports the same change, and some tabs do so late.
    if (after === this.#tier) return
    this.#tier = after
    // The error names a limit of the old tier.
    this.dismissInlineError()
    if (tierTraits[before].upgradesTo !== after) return
    const refused = [...this.#over].filter((id) => {
      const record = this.#records.get(id)
      return record !== undefined && failedForTier(record)
    })
    // Sorting by id gives the order in which the uploads were added.
    await Promise.all(refused.sort().map((id) => this.#resumer.resume(id)))
  }

  async provideFile(id: string, picked: PickedFile): Promise<void> {
    const record = this.#records.get(id)
    const reason = record ? await this.#resumer.refuseFile(record, picked.file) : null
    if (reason !== null) this.#performer.tell(otherFileNotice(reason))
    else this.#resumer.provide(id, picked)
  }

  supplyFile(id: string, picked: PickedFile): void {
    const isWanted = this.#paused.has(id) && !this.#deps.data.file(id)
    if (isWanted) this.#resumer.provide(id, picked)
  }

  clear(): void {
    this.#dispatchAll([...this.#over], { type: 'clear' })
  }

  dismissInlineError(): void {
    this.#performer.inlineError = null
    this.#changed()
  }

  /** Takes over the uploads of another page that was closed. */
  addFound(found: readonly UploadRecord[]): void {
    this.#restore(found)
    this.#changed()
  }

  state(): EngineState {
    return {
      records: [...this.#records.values()],
      live: this.#performer.live(),
      inlineError: this.#performer.inlineError,
      outcome: this.#batches.outcome(),
      wanted: [...this.#paused].filter((id) => !this.#deps.data.file(id)),
    }
  }

  /** Pauses all waiting and running uploads, saves their records, and stops the engine. */
  close(): void {
    this.#dispatchAll(this.#performer.underWay(), { type: 'halt' })
    this.#deps.records.flush()
    this.abandon()
  }

  /**
   * Stops all running uploads without writing to their records, because another page runs the
   * uploads now.
   */
  abandon(): void {
    this.#isClosed = true
    this.#performer.close()
    this.#resumer.close()
    this.#holdPage(false)
    this.#keepAwake(false)
  }

  #begin({ files, ...drop }: AddedFiles): void {
    if (this.#isClosed) return
    this.#performer.inlineError = null
    const { data, timers } = this.#deps
    const begun = files
      .filter(({ id }) => !this.#records.has(id))
      .map(({ id, picked }) => {
        data.keepWithHandle(id, picked)
        return newRecord({ id, ownerId: this.#ownerId, picked, now: timers.now(), ...drop })
      })
    for (const record of begun) this.#insert(record)
    // Uploads join the queue after all records exist, because the queue must know how many files
    // were added together.
    for (const record of begun) this.#performer.perform(record, [{ type: 'enqueue' }])
    this.#changed()
  }

  #restore(found: readonly UploadRecord[]): void {
    for (const record of found) {
      if (this.#records.has(record.id)) continue
      if (isCancelled(record)) {
        this.#deps.records.remove(record.id)
        continue
      }
      // Spec §4: uploading and pending records become paused. All others stay as they are.
      const { record: halted } = advance(record, { type: 'halt' }, this.#deps.timers.now())
      this.#insert(halted ?? record)
      if (record.need === 'sign-in') this.resume(record.id)
      else if (canResume(halted ?? record)) void this.#resumer.askForFile(record)
    }
  }

  #insert(record: UploadRecord): void {
    this.#records.set(record.id, record)
    this.#batches.added(record)
    this.#sort(record.id, record)
    this.#deps.records.save(record)
  }

  #dispatchAll(ids: readonly string[], event: UploadEvent): void {
    for (const id of ids) this.#dispatch(id, event)
  }

  /**
   * Applies an event to an upload. Every event passes through here. Returns the next step of the
   * upload's run; null when the event leads to no step.
   */
  #dispatch(id: string, event: UploadEvent): RunStep | null {
    const before = this.#records.get(id)
    if (!before || this.#isClosed) return null
    const { record, effects } = advance(before, event, this.#deps.timers.now())
    if (record) this.#records.set(id, record)
    else this.#records.delete(id)
    if (record !== before) {
      this.#batches.changed(before, record)
      this.#sort(id, record)
      this.#changed()
    }
    return this.#performer.perform(record ?? before, effects)
  }

  /**
   * Puts the id of a changed record into those of the sets `#paused`, `#over` and `#unsaved` that
   * fit it, and removes it from the others. Also decides whether the browser must ask before the
   * page is left, and whether the device must stay awake.
   */
  #sort(id: string, record: UploadRecord | null): void {
    const isPaused = record?.status === 'paused'
    const picked = isPaused ? this.#deps.data.picked(id) : undefined
    put(this.#paused, id, isPaused && record.need !== 'sign-in')
    put(this.#over, id, record !== null && isOver(record))
    put(this.#unsaved, id, picked !== undefined && !picked.handle)
    if (!record || !canResume(record)) this.#resumer.stopLooking(id)
    if (this.#paused.size > 0) this.#resumer.watchPaused()
    if (this.#over.size > 0) this.#wakeCleanUp()
    const underWay = this.#batches.underWay()
    this.#holdPage(underWay + this.#unsaved.size > 0)
    this.#keepAwake(underWay > 0)
  }

  #cleanUp(): boolean {
    this.#dispatchAll([...this.#over], { type: 'tick' })
    return !this.#isClosed && this.#over.size > 0
  }

  #show(): void {
    if (!this.#isClosed) this.#deps.onChange(this.state())
  }
}

function put(set: Set<string>, id: string, isIn: boolean): void {
  if (isIn) set.add(id)
  else set.delete(id)
}
