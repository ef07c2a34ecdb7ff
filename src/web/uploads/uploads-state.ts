import type { StoreApi } from 'zustand/vanilla'
import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import type { Interruption } from './interruption.ts'
import type { UploadRecord } from './records/upload-record.ts'

/** A file to upload, with the handle that finds it again after a reload where the browser has one. */
export interface PickedFile {
  file: File
  handle?: FileSystemFileHandle | undefined
  /** Made of the clipboard's text or image. */
  pasted?: boolean | undefined
}

/** What of an upload only this moment knows; nothing of it is kept. */
export interface UploadLive {
  /** Why the last try was lost, while it is tried again by itself; null while it goes on. */
  interrupted: Interruption | null
  /** Over the last seconds; null until there is something to say. */
  bytesPerSecond: number | null
}

/**
 * The uploads of this browser as every tab shows them. Commands may be given in any tab; the one that
 * runs the engine obeys them.
 */
export interface UploadsState {
  /** Oldest first; only those of the user who is signed in. */
  records: readonly UploadRecord[]
  /** By record id. */
  live: Readonly<Record<string, UploadLive>>
  /** An error that belongs beside the drop zone (spec §5). */
  inlineError: string | null
  /** How the last foreground batch ended, for two seconds (spec §4). */
  outcome: string | null
  add(files: readonly PickedFile[], expirationDays: ExpirationDays): void
  /** 'Cancelled by user' (spec §4): the place is freed on the server, the record goes. */
  cancel(id: string): void
  /** Ends the running foreground batch: what runs and what waits. */
  cancelForeground(): void
  /** Goes on with a paused upload, or tries a failed one again; asks for what `need` names. */
  resume(id: string): void
  /** Gives a paused upload its file again; a different file is refused by name. */
  provideFile(id: string, picked: PickedFile): void
  /** Removes completed and failed uploads. */
  clear(): void
  dismissInlineError(): void
}

export type UploadsStore = StoreApi<UploadsState>
