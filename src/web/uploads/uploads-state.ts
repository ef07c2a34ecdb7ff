import type { StoreApi } from 'zustand/vanilla'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import type { Interruption } from './interruption.ts'
import type { PickedFile } from './picking/picked-file.ts'
import type { UploadRecord } from './records/upload-record.ts'
import type { PageCommands } from './upload-commands.ts'
import type { Notice } from './upload-notices.ts'

/** What is known of an upload only while it runs. No record keeps it. */
export interface UploadLive {
  /** Why the last try was lost, while it is tried again by itself; null while it goes on. */
  interrupted: Interruption | null
  /** Over the last seconds; null until there is something to say. */
  bytesPerSecond: number | null
}

/** The commands that the engine and the tabs give each other: no page gives them. */
type BetweenTabs = 'resumeSignedIn' | 'supplyFile'

/**
 * The uploads of this browser, as every tab shows them, and what a person can do with them. One of the
 * tabs runs the engine. It obeys the commands of all.
 */
export interface UploadsState extends Omit<PageCommands, 'add' | BetweenTabs> {
  /** Oldest first; only those of the user who is signed in. */
  records: readonly UploadRecord[]
  /** By record id. */
  live: Readonly<Record<string, UploadLive>>
  /** An error that belongs beside the drop zone (spec §5). */
  inlineError: string | null
  /** How the last foreground batch ended, for two seconds (spec §4). */
  outcome: string | null
  add(files: readonly PickedFile[], expirationDays: ExpirationDays): void
}

export type UploadsStore = StoreApi<UploadsState>

/** How the page shows what uploads lead to. */
export interface UploadsPage {
  /** The list of files is to be refreshed (spec §7); `files` are new in it, as far as they are known. */
  onStored: (files: readonly StoredFile[]) => void
  onNotice: (notice: Notice & { kind: 'toast' }) => void
}
