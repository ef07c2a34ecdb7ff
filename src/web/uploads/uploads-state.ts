import type { StoreApi } from 'zustand/vanilla'
import type { Interruption } from './interruption.ts'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadRecord } from './records/upload-record.ts'
import type { ToastNotice } from './upload-notices.ts'

/**
 * The speed of an upload, and what interrupts it. These exist only while the upload runs and are
 * not saved.
 */
export interface UploadLive {
  /**
   * Why the last attempt failed, while the upload waits for the next one; null while it makes
   * progress.
   */
  interrupted: Interruption | null
  /** The speed over the last seconds; null until it is known. */
  bytesPerSecond: number | null
}

/** The uploads of this browser as a tab shows them. */
export interface ShownUploads {
  /** The records of the signed-in user, oldest first. */
  records: readonly UploadRecord[]
  /** The ids of the uploads that another tab runs. */
  elsewhere: ReadonlySet<string>
  /** The speed of each running upload of this tab, and what interrupts it, by record id. */
  live: Readonly<Record<string, UploadLive>>
  /** An error that is shown beside the drop zone (spec §5). */
  inlineError: string | null
  /**
   * How the last batch of foreground uploads ended. It is shown for two seconds, then null (spec
   * §9).
   */
  outcome: string | null
}

/** The uploads of this browser, and what a page can do with them. */
export interface UploadsState extends ShownUploads {
  /** Uploads files. A file that a paused upload waits for is given to that upload instead. */
  add(files: readonly PickedFile[], expirationDays: number): void
  /** Cancels an upload, also one that another tab runs. */
  cancel(id: string): void
  /** Cancels the foreground uploads of this tab: those whose progress the page shows. */
  cancelForeground(): void
  /** Resumes a paused upload, or tries a failed one again. Call it in a click handler. */
  resume(id: string): void
  /** Gives a paused upload its file again. A notice says why another file is refused. */
  provideFile(id: string, picked: PickedFile): void
  /** Removes completed and failed uploads. */
  clear(): void
  dismissInlineError(): void
}

export type UploadsStore = StoreApi<UploadsState>

/** What uploads need from the page: functions that show results. */
export interface UploadsPage {
  /** Called when the list of files must be refreshed. */
  onStored: () => void
  onNotice: (notice: ToastNotice) => void
}
