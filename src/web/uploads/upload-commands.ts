import type { AddedFiles } from './engine/upload-plan.ts'
import type { PickedFile } from './picking/picked-file.ts'

/**
 * What can be asked of the engine, in any tab of this browser. This is the one list of commands: the
 * engine implements it, tabs send it to each other as data, and the page gives it (`UploadsState`).
 * Where a tab goes in the middle of a command the next one obeys it again, so that doing it twice must do
 * no harm. What answers a promise is done once that settles.
 */
export interface UploadCommands {
  /**
   * Uploads files. Paused uploads that may be waiting for one of them get it instead, once the file is
   * recognised.
   */
  add(added: AddedFiles): Promise<void>
  /** Spec §4: 'Cancelled by user'. An upload that has failed is removed at once. */
  cancel(id: string): void
  /** Cancels what runs and what waits on the foreground path. */
  cancelForeground(): void
  /** Goes on with a paused upload or tries a failed one again, as far as its bytes are there. */
  resume(id: string): void
  /** Somebody may have signed in again: goes on with what waits for that. */
  resumeSignedIn(): Promise<void>
  /** Gives a paused upload its file again. A different file is refused by name. */
  provideFile(id: string, picked: PickedFile): Promise<void>
  /** Another tab has bytes that the engine wants, and knows that they are those of this upload. */
  supplyFile(id: string, picked: PickedFile): void
  /** Removes completed and failed uploads. */
  clear(): void
  dismissInlineError(): void
}

/** A command as data. It travels from tab to tab. */
export type UploadCommand = {
  [Name in keyof UploadCommands]: { name: Name; args: Parameters<UploadCommands[Name]> }
}[keyof UploadCommands]

/** The commands as a page gives them: nobody there waits for their end. */
export type PageCommands = {
  [Name in keyof UploadCommands]: (...args: Parameters<UploadCommands[Name]>) => void
}
