import type { File as StoredFile } from '../../../shared/contract/files.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { RecordStore } from '../records/upload-records.ts'
import type { Notice } from '../upload-notices.ts'
import type { PickedFile, UploadsState } from '../uploads-state.ts'
import type { AbortsDeps } from './upload-aborts.ts'
import type { UploadData } from './upload-data.ts'
import type { AddedFiles } from './upload-plan.ts'
import type { RunEffects } from './upload-run.ts'

/** What the tabs show, as the engine has it. */
export interface EngineState
  extends Pick<UploadsState, 'records' | 'live' | 'inlineError' | 'outcome'> {
  /** Records whose bytes another tab may have. */
  wanted: readonly string[]
}

export interface EngineEffects extends RunEffects, Pick<AbortsDeps, 'storage'> {
  records: RecordStore
  data: UploadData
  onChange: (state: EngineState) => void
  /** The list of files is to be refreshed (spec §7); `files` are new in it. */
  onStored: (files: readonly StoredFile[]) => void
  onNotice: (notice: Notice & { kind: 'toast' }) => void
  /** From now on the page asks before it goes; answers how to end that. */
  holdPage: () => () => void
  /** From now on the device stays awake; answers how to end that. */
  keepAwake: () => () => void
}

/** Runs the uploads of one user in this browser: the records, their turns, and what they lead to. */
export interface UploadEngine {
  /**
   * Uploads files. Those that paused uploads may be waiting for are compared with them first: it
   * resolves when all are taken.
   */
  add(added: AddedFiles): Promise<void>
  /** Takes up records that another page has left behind. */
  takeUp(found: readonly UploadRecord[]): void
  /** Ends an upload as 'Cancelled by user'; one that has failed is removed at once. */
  cancel(id: string): void
  /** Ends what runs and what waits on the foreground path. */
  cancelForeground(): void
  /** Goes on with a paused upload or tries a failed one again, as far as its bytes are there. */
  resume(id: string): void
  /** Somebody may be signed in again: goes on with what waits for that. */
  resumeSignedIn(): Promise<void>
  /** Gives a record its file again; another file is refused by name. */
  provideFile(id: string, picked: PickedFile): Promise<void>
  /** Another tab has bytes that were `wanted`, and knows that they are those. */
  supply(id: string, picked: PickedFile): void
  /** Removes what is completed or failed. */
  clear(): void
  dismissInlineError(): void
  state(): EngineState
  /** Everything under way is paused, and nothing runs any more. */
  close(): void
  /** Nothing runs any more, and nothing is written: another page runs these uploads. */
  abandon(): void
}
