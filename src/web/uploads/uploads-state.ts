import type { StoreApi } from 'zustand/vanilla'
import type { Interruption } from './interruption.ts'
import type { PickedFile } from './picking/picked-file.ts'
import type { RecordLink, UploadRecord } from './records/upload-record.ts'
import type { ToastNotice } from './upload-notices.ts'

/** A running upload's speed and interruption. Not saved. */
export interface UploadActivity {
  /** Why the last attempt failed; null while the upload is making progress. */
  interruption: Interruption | null
  /** The recent speed; null until it is known. */
  bytesPerSecond: number | null
}

/** This browser's uploads, as shown in one tab. */
export interface ShownUploads {
  /** The signed-in user's records, oldest first. */
  records: readonly UploadRecord[]
  /** IDs of uploads that another tab is running. */
  otherTabIds: ReadonlySet<string>
  /** The speed and interruption of this tab's running uploads, by record ID. */
  activity: Readonly<Record<string, UploadActivity>>
  /** The error shown next to the drop zone (spec §5). */
  inlineError: string | null
  /** The last foreground batch's outcome, shown for two seconds (spec §9); otherwise null. */
  outcome: string | null
}

/** This browser's uploads and the available actions. */
export interface UploadsState extends ShownUploads {
  /**
   * Uploads files. If a paused upload needs one of them, resumes that upload instead.
   * @param link the link for all files. If undefined, each file gets its own.
   */
  add(files: readonly PickedFile[], expirationDays: number, link?: RecordLink): void
  /** Cancels an upload, even one that another tab is running. */
  cancel(id: string): void
  /** Cancels this tab's foreground uploads. */
  cancelForeground(): void
  /** Resumes a paused upload or retries a failed one. Call from a click handler. */
  resume(id: string): void
  /** Resumes an upload with its file. A different file is rejected with a notice. */
  provideFile(id: string, picked: PickedFile): void
  /** Removes completed and failed uploads. */
  clear(): void
  dismissInlineError(): void
}

export type UploadsStore = StoreApi<UploadsState>

/** Callbacks that show results on the page. */
export interface PageCallbacks {
  /** Called when the list of files has to be refreshed. */
  onStored: () => void
  onNotice: (notice: ToastNotice) => void
}
