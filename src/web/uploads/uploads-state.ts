import type { StoreApi } from 'zustand/vanilla'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { Interruption } from './interruption.ts'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadRecord } from './records/upload-record.ts'
import type { PageCommands } from './upload-commands.ts'
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

/** The commands that a tab gives by itself. The components of a page cannot give them. */
type BetweenTabs = 'resumeSignedIn' | 'followTier' | 'supplyFile'

/**
 * The uploads of this browser as a page sees them, and the commands that a page can give. Every tab
 * shows the same uploads. One tab runs the engine, which carries out the commands of all tabs.
 */
export interface UploadsState extends Omit<PageCommands, 'add' | BetweenTabs> {
  /** The records of the signed-in user, oldest first. */
  records: readonly UploadRecord[]
  /** The speed of each running upload, and what interrupts it, by record id. */
  live: Readonly<Record<string, UploadLive>>
  /** An error that is shown beside the drop zone (spec §5). */
  inlineError: string | null
  /**
   * How the last batch of foreground uploads ended. It is shown for two seconds, then null (spec
   * §9).
   */
  outcome: string | null
  add(files: readonly PickedFile[], expirationDays: number): void
}

export type UploadsStore = StoreApi<UploadsState>

/** What uploads need from the page: functions that show results, and the limits. */
export interface UploadsPage {
  /**
   * Called when the list of files must be refreshed. `files` are the new files, which the page adds
   * to the list at once. If another tab ran the uploads, `files` is empty, because this tab does
   * not know the new files.
   */
  onStored: (files: readonly StoredFile[]) => void
  onNotice: (notice: ToastNotice) => void
  /**
   * Returns the highest number of files that a tier allows. Tiers that allow any number of files
   * are left out (see `largestFileCount`).
   */
  mostSlots: () => number
}
